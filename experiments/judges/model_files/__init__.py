"""What the judge `files` consists of: models drawn by a seed, who writes them, who reads them, and the comparison."""
