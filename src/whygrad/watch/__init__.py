"""Live gradients of a training that somebody runs: computed where they are, thinned, stored, and told as events."""
