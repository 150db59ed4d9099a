"""Files that survive a kill or a full disk: rows that are only appended, files replaced whole, locks, marks."""
