"""Labels, models and training of NeurPRISE and Neur2RO; training itself needs the extra [learn]."""
