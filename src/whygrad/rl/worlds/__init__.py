"""Environments of our own, as pure functions in `keras.ops`: thousands step at once, inside compiled programs too."""
