"""Measured claims, each a command that prints ratios of one run and appends its rows to results/."""
