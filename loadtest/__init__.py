"""The client that tests and load runs share, scenarios, and a model server with set pace and faults."""
