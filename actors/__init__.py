"""The runtime, and the actors: session, writer, summarizer, extractor, keeper."""
