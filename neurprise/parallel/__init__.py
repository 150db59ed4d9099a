"""Many units of work on one machine or on many, with the same results bit for bit whatever the number of workers."""
