"""What is raised for a file that cannot be read, and for a network that a format has no words for."""

from __future__ import annotations


class BadModel(ValueError):
    """A model file that is damaged or not what it should be, or a network that cannot be written in this form."""
