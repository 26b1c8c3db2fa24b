"""One update of TensorFlow.js' snake-dqn in plain TensorFlow, as one would write it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import keras
import tensorflow as tf
from keras import layers


def network() -> keras.Model:
    """Layer by layer as in TensorFlow.js."""
    return keras.Sequential(
        [
            keras.Input((9, 9, 2)), layers.Conv2D(128, 3, activation="relu"), layers.BatchNormalization(),
            layers.Conv2D(256, 3, activation="relu"), layers.BatchNormalization(),
            layers.Conv2D(256, 3, activation="relu"), layers.Flatten(), layers.Dense(100, activation="relu"),
            layers.Dropout(0.25), layers.Dense(3),
        ]
    )  # fmt: skip


def make(batch: Mapping[str, Any]) -> Callable[[], float]:
    """A function that makes one update on the batch and gives its loss."""
    q, target = network(), network()
    target.set_weights(q.get_weights())
    optimizer = keras.optimizers.Adam(1e-3)
    optimizer.build(q.trainable_variables)

    @tf.function
    def step(rows: Any) -> Any:
        wanted = rows["reward"] + rows["discount"] * tf.reduce_max(target(rows["next_observation"]), axis=1)
        with tf.GradientTape() as tape:
            values = tf.reduce_sum(q(rows["observation"], training=True) * tf.one_hot(rows["action"], 3), axis=1)
            loss = tf.reduce_mean(tf.square(wanted - values))
        optimizer.apply_gradients(zip(tape.gradient(loss, q.trainable_variables), q.trainable_variables, strict=True))
        return loss

    return lambda: float(step({name: tf.constant(values) for name, values in batch.items()}))
