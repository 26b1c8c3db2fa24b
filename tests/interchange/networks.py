"""Keras networks to be written in other forms, with random weights, and how they are called."""

from __future__ import annotations

import keras
import numpy as np
from keras import layers

from whygrad.rl.agent import Spaces
from whygrad.rl.networks import critic, dueling, head


def snake():
    """The network of TF.js' snake-dqn."""
    return keras.Sequential(
        [
            layers.Input((9, 9, 2)),
            layers.Conv2D(128, 3, activation="relu"),
            layers.BatchNormalization(),
            layers.Conv2D(256, 3, activation="relu"),
            layers.BatchNormalization(),
            layers.Conv2D(256, 3, activation="relu"),
            layers.Flatten(),
            layers.Dense(100, activation="relu"),
            layers.Dropout(0.25),
            layers.Dense(3),
        ]
    )


def images():
    return keras.Sequential(
        [
            layers.Input((11, 10, 3)),
            layers.Rescaling(0.5, offset=0.1),
            layers.ZeroPadding2D(((1, 0), (2, 1))),
            layers.Conv2D(6, (3, 2), strides=2, padding="same", use_bias=False),
            layers.BatchNormalization(scale=False, epsilon=1e-4),
            layers.ReLU(max_value=1.5),
            layers.DepthwiseConv2D(3, depth_multiplier=2, padding="same", activation="elu"),
            layers.MaxPooling2D(2, strides=(1, 2), padding="same"),
            layers.Conv2D(4, 2, dilation_rate=2, activation="softmax"),
            layers.AveragePooling2D(2, padding="same"),
            layers.LayerNormalization(),
            layers.Permute((2, 1, 3)),
            layers.Reshape((-1, 2)),
            layers.Flatten(),
            layers.Dense(5, activation="tanh"),
            layers.BatchNormalization(center=False),
            layers.Softmax(),
        ]
    )


def pooled():
    inputs = keras.Input((5, 7, 2))
    x = layers.Conv2D(3, 3, padding="same")(inputs)
    rows = layers.GaussianNoise(0.5)(layers.Reshape((7, 15))(x))
    flat = [layers.GlobalAveragePooling1D()(rows), layers.GlobalMaxPooling1D()(rows)]
    sides = [
        layers.GlobalAveragePooling2D()(x),
        layers.GlobalMaxPooling2D()(x),
        *(layers.Dense(3)(one) for one in flat),
    ]
    return keras.Model(inputs, layers.Average()(sides))


def signals():
    return keras.Sequential(
        [
            layers.Input((17, 3)),
            layers.Conv1D(5, 3, activation="relu"),
            layers.MaxPooling1D(2),
            layers.Conv1D(4, 3, strides=2, padding="same"),
            layers.AveragePooling1D(3, strides=1, padding="same"),
            layers.Dense(2),
            layers.Flatten(),
        ]
    )


def branches():
    left, right = keras.Input((4,), name="left"), keras.Input((2,), name="right")
    a, b = layers.Dense(3, activation="tanh")(left), layers.Dense(3)(right)
    merges = (layers.Add(), layers.Subtract(), layers.Multiply(), layers.Maximum(), layers.Minimum())
    joined = layers.Concatenate()([left, *(merge([a, b]) for merge in merges), right])
    return keras.Model([left, right], [layers.Dense(1)(joined), layers.Dense(2, use_bias=False)(joined)])


ACTIVATIONS = (
    "linear", "relu", "relu6", "leaky_relu", "elu", "selu", "sigmoid", "tanh", "softmax", "log_softmax", "softplus",
    "softsign", "silu", "gelu", "mish",
)  # fmt: skip


def activations():
    inputs = keras.Input((4,))
    heads = [layers.Dense(3, activation=name)(inputs) for name in ACTIVATIONS]
    plain = heads[0]
    heads += [layers.Activation("tanh")(plain), layers.LeakyReLU(0.1)(plain), layers.ELU()(plain), layers.ReLU()(plain)]
    return keras.Model(inputs, layers.Concatenate()(heads))


NETWORKS = {
    "snake": snake,
    "images": images,
    "pooled": pooled,
    "signals": signals,
    "branches": branches,
    "activations": activations,
    "head": lambda: head(Spaces((4,), choices=2), 2, (8, 8), "tanh", gain=0.01),
    "board": lambda: head(Spaces((6, 5, 3), choices=2), 2, (8,)),
    "dueling": lambda: dueling(Spaces((4,), choices=3), (8,)),
    "critic": lambda: critic(Spaces((3, 2), low=(-1.0,), high=(1.0,)), (8,)),
}


def made(name):
    """One of them, with every weight random: moving averages too, and variances above 0."""
    rng = np.random.default_rng(7)
    network = NETWORKS[name]()
    for variable in network.weights:
        shape, role = tuple(variable.shape), variable.name
        if role in ("moving_variance", "gamma"):
            value = rng.uniform(0.5, 1.5, shape)
        else:
            value = rng.normal(size=shape) * min(0.5, float(np.prod(shape[:-1])) ** -0.5)
        variable.assign(value.astype(np.float32))
    return network


def inputs_for(network, rows=5):
    rng = np.random.default_rng(8)
    return [rng.normal(size=(rows, *one.shape[1:])).astype(np.float32) for one in network.inputs]


def said(network, inputs):
    """What a Keras model gives, as a list of arrays."""
    found = network(inputs if len(inputs) > 1 else inputs[0], training=False)
    return [np.asarray(keras.ops.convert_to_numpy(one)) for one in (found if isinstance(found, list) else [found])]


def same(found, wanted, apart=1e-5):
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=apart, atol=apart)
