"""Trained networks without PyTorch: what they read about a problem, checkpoints, and the forward pass."""
