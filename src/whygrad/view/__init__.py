"""The page that shows runs, live while they train: a small server on this machine, and what it answers."""
