"""Choosing scenarios with a trained network, without PyTorch: encodings, checkpoints and the forward pass."""
