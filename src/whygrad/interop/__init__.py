"""whygrad inside the tools that people train and test with."""
