"""Keras 2 models as Python's converter writes them: python keras_2_model.py FOLDER."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import tf_keras as keras
from tf_keras import layers


def chain():
    return keras.Sequential(
        [
            layers.Conv2D(4, 3, activation="relu", input_shape=(6, 6, 2)),
            layers.BatchNormalization(),
            layers.DepthwiseConv2D(2, activation="tanh"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dropout(0.5),
            layers.Dense(3, activation="softmax"),
        ]
    )


def web():
    left, right = keras.Input((4,)), keras.Input((2,))
    x = layers.LeakyReLU()(layers.Dense(3)(left))
    y = layers.Dense(3, activation="swish")(right)
    return keras.Model([left, right], [layers.Add()([x, y]), layers.Subtract()([x, y])])


def main(folder):
    rng = np.random.default_rng(0)
    for make in (chain, web):
        model = make()
        model.set_weights([rng.uniform(0.1, 1.0, weight.shape) for weight in model.get_weights()])
        inputs = [rng.normal(size=(3, *one.shape[1:])).astype(np.float32) for one in model.inputs]
        found = model(inputs if len(inputs) > 1 else inputs[0], training=False)
        outputs = [one.numpy() for one in (found if isinstance(found, list) else [found])]
        weights = [{"name": w.name.split(":")[0], "shape": list(w.shape), "dtype": "float32"} for w in model.weights]
        whole = {
            "format": "layers-model", "generatedBy": "keras v2.15.0", "convertedBy": "TensorFlow.js Converter v4.22.0",
            "modelTopology": {"keras_version": "2.15.0", "model_config": json.loads(model.to_json())},
            "weightsManifest": [{"paths": ["group1-shard1of1.bin"], "weights": weights}],
        }  # fmt: skip
        target = folder / make.__name__
        target.mkdir()
        (target / "model.json").write_text(json.dumps(whole))
        (target / "group1-shard1of1.bin").write_bytes(
            b"".join(w.numpy().astype("<f4").tobytes() for w in model.weights)
        )
        both = {"inputs": inputs, "outputs": outputs}
        (target / "io.json").write_text(
            json.dumps({k: [{"shape": a.shape, "values": np.ravel(a).tolist()} for a in v] for k, v in both.items()})
        )


main(Path(sys.argv[1]))
