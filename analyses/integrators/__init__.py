"""Integrators in time, one file each."""
