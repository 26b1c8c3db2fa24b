"""Findings to text. Pure: imports neither a recorder nor a framework."""
