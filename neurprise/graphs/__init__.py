"""Problems as networks see them: scenario programs, the graphs drawn from them, and probes; families add their own."""
