"""Exact search: reduced problems V(R), column-and-constraint generation, and what a search knows."""
