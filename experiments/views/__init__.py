"""How rows become tables, one file per shape."""
