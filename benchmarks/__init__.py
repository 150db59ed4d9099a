"""
What needs a checkout: measurements of speed (specs of `neurprise bench`), and programs that check.

`measurements/` holds the specs. `crosscheck`, `fuzz` and `soak` are programs; `examining/`, `judges/`,
`random_problems/` and `damaged_files/` are what they consist of. The other files are instances and methods that several
of them share.
"""
