"""What is measured on: the paper's sets, published files, generated classes."""
