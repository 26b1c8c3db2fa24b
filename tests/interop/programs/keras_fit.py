"""A two-branch model under `fit` with the callback: functional or subclassed, healthy or with a stopped branch.

Arguments: the package or backend (tensorflow, torch, jax, tf_keras), then one training after another, each a list of
what is special about it (`cut`, `functional`, `raise`, `plain`, `watch`).
"""

import json
import os
import sys
import warnings

which = sys.argv[1]
if which == "tf_keras":
    import tensorflow as tf
    import tf_keras as keras

    stop = tf.stop_gradient
else:
    os.environ["KERAS_BACKEND"] = which
    import keras

    stop = keras.ops.stop_gradient

import numpy as np
from watched_facts import watched, where

from whygrad.interop.keras_callback import WhyGrad

warnings.simplefilter("ignore")
layers = keras.layers


class Two(keras.Model):
    def __init__(self, cut):
        super().__init__()
        self.cut = cut
        self.left, self.right = layers.Dense(8, "relu"), layers.Dense(8, "relu")
        self.join, self.head = layers.Concatenate(), layers.Dense(1)

    def call(self, x):
        right = self.right(x)
        cut = self.cut
        if cut:
            right = stop(right)
        return self.head(self.join([self.left(x), right]))


class Stop(layers.Layer):
    def call(self, x):
        return stop(x)


def functional(cut):
    x = keras.Input((4,))
    left, right = layers.Dense(8, "relu", name="left")(x), layers.Dense(8, "relu", name="right")(x)
    if cut:
        right = Stop()(right)
    return keras.Model(x, layers.Dense(1, name="head")(layers.Concatenate()([left, right])))


def fit(faults):
    keras.utils.set_random_seed(0)
    draw = np.random.default_rng(0)
    x, y = draw.normal(size=(96, 4)).astype("float32"), draw.normal(size=(96, 1)).astype("float32")
    model = functional("cut" in faults) if "functional" in faults else Two("cut" in faults)
    model.compile("adam", "mse")
    told = []
    callback = WhyGrad(on_finding="raise" if "raise" in faults else told.append, watch=where(faults))
    callbacks = [] if "plain" in faults else [callback]
    error = ""
    try:
        history = model.fit(x, y, batch_size=8, epochs=2, verbose=0, shuffle=False, callbacks=callbacks)
    except Exception as trouble:
        error = f"{type(trouble).__name__}: {trouble}"
    report = callback.report
    return {
        "losses": [] if error else history.history["loss"],
        "error": error[:300],
        "told": len(told),
        "codes": [f.code for f in report.findings] if report else None,
        "lines": [f.where.line for f in report.findings] if report else None,
        "variables": [list(f.variables) for f in report.findings] if report else None,
        "notes": list(report.notes) if report else None,
        "updates": report.updates if report else 0,
        "watched": watched(callback),
    }


print(json.dumps([fit(faults.split("+")) for faults in sys.argv[2:]]))
