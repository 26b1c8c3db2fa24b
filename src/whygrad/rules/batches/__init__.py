"""Rows and samples: which belong together, and what each is weighed with."""
