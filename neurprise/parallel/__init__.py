"""
Many units of work on one machine or on many, with the same results bit for bit whatever the number of workers.

`completed` (units.py) hands out units, collects results, tries again what a dead worker left, and stops in time. Where
the work runs is a `Pool` (pools.py): in this process (in_process.py), in processes of this machine by loky
(processes.py), or on a Dask cluster (cluster.py). Units are small: a number and a recipe, never a problem. A search
keeps workers that hold its problem, and asks them again and again (lasting.py).
"""
