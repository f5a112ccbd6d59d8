"""Experimental elements, specimens, sites and transports of a hybrid test."""
