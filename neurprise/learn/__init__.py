"""Labels, scenario graphs, the NeurPRISE model and its training; everything but the labels needs the extra [learn]."""
