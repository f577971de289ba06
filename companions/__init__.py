"""Who is talking: policy, texts, the rules of a conversation, the planning of a turn, the ports. Pure."""
