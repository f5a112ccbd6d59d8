"""Specimens: emulated, and played back from a journal."""
