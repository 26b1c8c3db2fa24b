"""The same trainings on a Ray cluster: workers that collect, learners that share an update."""
