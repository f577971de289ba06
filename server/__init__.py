"""Settings, sockets, pages, start and stop, command line: the only room that knows all others."""
