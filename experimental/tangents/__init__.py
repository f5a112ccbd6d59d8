"""Estimators of the tangent stiffness of a specimen."""
