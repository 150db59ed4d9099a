"""
Experiments as data: a spec names instances, methods, budgets and what the paper printed; one runner makes the rows.

Add a method with one line in `methods.METHODS`, an experiment with one spec in `specs/`.
"""
