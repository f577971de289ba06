"""The wire: frames, codec, error and close codes, and the descriptions generated from them."""
