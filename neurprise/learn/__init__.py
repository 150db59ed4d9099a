"""Labels, scenario graphs, the NeurPRISE network and its training; only training needs the extra [learn]."""
