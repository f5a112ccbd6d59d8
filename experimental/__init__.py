"""Experimental elements, specimens, setups, sites and transports of a hybrid test."""
