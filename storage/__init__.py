"""The store: one SQLite file, its schema, and one function for each question asked of it."""
