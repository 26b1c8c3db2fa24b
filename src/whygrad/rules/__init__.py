"""One rule per file; the file's docstring is its manual page. `catalogue.py` lists them all."""
