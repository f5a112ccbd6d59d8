"""Sections: axial force and moments over axial strain and curvatures."""
