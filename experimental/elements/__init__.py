"""Experimental elements: elements of a model whose forces a specimen measures."""
