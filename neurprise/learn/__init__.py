"""Labels, the NeurPRISE network and its training; needs the extra [learn] where it trains."""
