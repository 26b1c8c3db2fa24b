"""Plain data of a training step, and reachability over it. Standard library only; holds no tensor."""
