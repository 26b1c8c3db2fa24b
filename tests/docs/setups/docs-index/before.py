"""The example is a TensorFlow program."""

import os

os.environ["KERAS_BACKEND"] = "tensorflow"
