"""What is remembered of a conversation and what of it comes back. Pure."""
