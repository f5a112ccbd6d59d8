"""Stability of a hybrid test, computed before it runs."""
