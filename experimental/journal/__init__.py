"""The journal of a test: written as it runs, read, resumed and repaired."""
