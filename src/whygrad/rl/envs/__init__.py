"""Environments: making and stepping them, and our own with known answers."""
