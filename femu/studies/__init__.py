"""Studies of papers, repeated.

Each module's ``run`` returns a table with the papers' figures next to femu's.
"""
