"""The files that `benchmarks.fuzz` damages, and how."""
