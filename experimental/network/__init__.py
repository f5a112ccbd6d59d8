"""Specimens at other sites: protocols, transports, clients and servers."""
