"""Setups: from the displacements of an element to the strokes of its actuators, and back."""
