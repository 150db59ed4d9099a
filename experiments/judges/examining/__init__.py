"""What `experiments.judges.crosscheck` asks about a problem, the rules that answers must keep, and what came of it."""
