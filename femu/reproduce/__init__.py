"""Studies of papers, repeated: each module's ``run`` returns a table with the papers' figures beside femu's."""
