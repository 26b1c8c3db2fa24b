"""`whygrad run` on a TensorFlow program, started as a user starts it."""

from __future__ import annotations

import importlib.util
import json
import re

import pytest
from cli_runs import python, whygrad, write

if importlib.util.find_spec("tensorflow") is None:
    pytest.skip("tensorflow is not installed", allow_module_level=True)

TRAIN = """
import tensorflow as tf, keras
net = keras.Sequential([keras.layers.Input((2,)), keras.layers.Dense(1)])
opt = keras.optimizers.SGD(0.1)
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(tf.cast(net(tf.ones((3, 2))) > 0, tf.float32))
print("here")
opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
"""


def test_a_gradient_error(tmp_path):
    write(tmp_path, train=TRAIN)
    plain = python(tmp_path, "train.py")
    watched = whygrad(tmp_path, "run", "--fail-on", "error", "--json", "x.json", "train.py")
    trace = plain.err[plain.err.index("Traceback (most recent call last)") :]
    assert "No gradients provided for any variable" in trace
    assert trace + "\nerror[W104] not-differentiable: `net` (2 variables)" in watched.err
    assert re.search(r"\n1 error in train.py \(before the first update, tensorflow\)\n$", watched.err)
    assert (watched.status, watched.out) == (3, "here\n")
    [finding] = json.loads((tmp_path / "x.json").read_text())["findings"]
    assert finding["where"]["line"] == 6


def test_stopping(tmp_path):
    write(
        tmp_path,
        train="""
import tensorflow as tf, keras
net = keras.Sequential([keras.layers.Input((2,)), keras.layers.Dense(1)])
net.compile("sgd", "mse")
try:
    net.fit(tf.ones((8, 2)), tf.ones((8, 1)), epochs=10**6, batch_size=4, verbose=0)
finally:
    print("cleaned up")
""",
    )
    result = whygrad(tmp_path, "run", "--updates", "3", "train.py")
    assert (result.status, result.out) == (0, "cleaned up\n")
    assert result.err.endswith("no gradient faults found in train.py (3 updates seen, tensorflow)\n")


def test_a_graph_of_tensorflow_1_is_not_looked_into_and_the_report_says_so(tmp_path):
    write(
        tmp_path,
        train="""
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
weight = tf.get_variable("weight", ())
tf.train.GradientDescentOptimizer(0.1).minimize(tf.stop_gradient(weight))
""",
    )
    result = whygrad(tmp_path, "run", "train.py")
    assert "No gradients provided for any variable" in result.err
    assert "the program builds TensorFlow 1 graphs (eager execution is off): whygrad" in result.err
