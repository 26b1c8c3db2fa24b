"""A network from TF.js goes on learning here, and goes back."""

from __future__ import annotations

import keras
import numpy as np
from keras import layers
from networks import inputs_for, said, same
from tfjs_node import needs_node, predict

from whygrad.interchange.keras_file import read_keras, write_keras
from whygrad.interchange.keras_graph import graph_of, model_of
from whygrad.interchange.tfjs_reading import read_tfjs
from whygrad.interchange.tfjs_writing import write_tfjs
from whygrad.rl import DQN, train
from whygrad.rl.restoring import restore


def network():
    inner = [layers.Dense(8, activation="relu"), layers.BatchNormalization(), layers.Dropout(0.25)]
    return keras.Sequential([layers.Input((4,)), *inner, layers.Dense(2)])


@needs_node
def test_there_on_and_back(tmp_path):
    write_tfjs(tmp_path / "first", graph_of(network()))
    write_keras(tmp_path / "model.keras", model_of(read_tfjs(tmp_path / "first").graph))
    begun = read_keras(tmp_path / "model.keras")
    agent = DQN(learning_starts=20, train_every=32, updates=2, target_every=1)
    trained = train(
        agent, "CartPole-v1", steps=96, networks={"q": begun}, root=tmp_path / "runs", evaluate_episodes=1,
        tensorboard=False, quiet=True,
    )  # fmt: skip
    with restore(trained.path, "last", networks={"q": read_keras(tmp_path / "model.keras")}) as restored:
        restored.engine.write_back()
        learned = restored.engine.networks["q"]
    before, after = (
        graph_of(one).nodes[1].weights["kernel"] for one in (read_keras(tmp_path / "model.keras"), learned)
    )
    assert not np.array_equal(before, after)
    write_tfjs(tmp_path / "second", graph_of(learned))
    inputs = inputs_for(learned)
    same(predict(tmp_path / "second", inputs)[0], said(learned, inputs))
