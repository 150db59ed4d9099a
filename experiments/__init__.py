"""
The lab of the package: experiments and measurements as data, and programs that judge its answers. In no wheel.

A spec names instances, methods, budgets and what the paper printed; one runner makes the rows. `README.md` says what is
where, how to run an experiment and how to add one.
"""
