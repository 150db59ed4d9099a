"""What measurements compare the package with: Algorithm 1 as written, PyG, an earlier commit, an engine alone."""
