"""The files that `experiments.judges.fuzz` damages, and how."""
