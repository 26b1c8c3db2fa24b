"""How agents meet experience: step by step with a replay memory, in rollouts, or from a dataset."""
