"""Examples that are installed with femu."""
