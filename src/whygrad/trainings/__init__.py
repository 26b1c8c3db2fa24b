"""Trainings as data: settings that are known to work, and trainings that have a name. Loads nothing else."""
