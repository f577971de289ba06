"""Language models and embedders behind the ports of the companions."""
