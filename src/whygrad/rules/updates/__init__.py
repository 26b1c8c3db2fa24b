"""What became of each gradient: who asked for it, who changed, cleared or applied it, and what was kept of it."""
