"""Keras networks, in real TF.js."""

from __future__ import annotations

import json

import keras
import numpy as np
import pytest
from keras import layers
from networks import NETWORKS, inputs_for, made, said, same
from tfjs_node import needs_browser, needs_node, predict, predict_in_browser

from whygrad.interchange.bad_model import BadModel
from whygrad.interchange.keras_graph import graph_of, model_of
from whygrad.interchange.tfjs_reading import read_tfjs
from whygrad.interchange.tfjs_writing import write_tfjs
from whygrad.interchange.weight_files import SHARD


@needs_node
@pytest.mark.parametrize("name", NETWORKS)
def test_in_node(name, tmp_path):
    network = made(name)
    inputs = inputs_for(network)
    write_tfjs(tmp_path / "model", graph_of(network), {"whygrad": {"agent": "dqn"}})
    outputs, found = predict(tmp_path / "model", inputs)
    same(outputs, said(network, inputs))
    assert found["metadata"] == {"whygrad": {"agent": "dqn"}}
    assert found["kind"] == ("Sequential" if isinstance(network, keras.Sequential) else "Model")


@needs_browser
@pytest.mark.parametrize("name", ["snake", "branches"])
def test_in_a_browser(name, tmp_path):
    network = made(name)
    inputs = inputs_for(network)
    write_tfjs(tmp_path / "model", graph_of(network))
    same(predict_in_browser(tmp_path / "model", tmp_path / "profile", inputs), said(network, inputs))


@needs_node
@pytest.mark.parametrize(("form", "apart"), [("float16", 2e-3), ("uint16", 1e-3), ("uint8", 0.1)])
def test_smaller_weights(form, apart, tmp_path):
    network = made("images")
    inputs = inputs_for(network)
    write_tfjs(tmp_path / "model", graph_of(network), quantize=form)
    outputs, _ = predict(tmp_path / "model", inputs)
    same(outputs, said(network, inputs), apart)
    # TF.js and we read the same numbers out of the file.
    same(outputs, said(model_of(read_tfjs(tmp_path / "model").graph), inputs))


@pytest.mark.parametrize("name", NETWORKS)
def test_there_and_back(name, tmp_path):
    network = made(name)
    inputs = inputs_for(network)
    write_tfjs(tmp_path / "model", graph_of(network))
    again = model_of(read_tfjs(tmp_path / "model").graph)
    same(said(again, inputs), said(network, inputs), 1e-6)


def test_files_of_four_megabytes(tmp_path):
    sizes = write_tfjs(tmp_path / "model", graph_of(made("snake")))
    assert sizes.pop("model.json") < 20_000
    assert sizes == {"group1-shard1of2.bin": SHARD, "group1-shard2of2.bin": 1_120_019 * 4 - SHARD}
    assert {file.name: file.stat().st_size for file in (tmp_path / "model").glob("*.bin")} == sizes
    assert sorted(file.name for file in tmp_path.iterdir()) == ["model"]


def test_a_model_is_replaced_and_nothing_else(tmp_path):
    folder = tmp_path / "model"
    write_tfjs(folder, graph_of(made("snake")))
    write_tfjs(folder, graph_of(made("head")))
    assert sorted(file.name for file in folder.iterdir()) == ["group1-shard1of1.bin", "model.json"]
    (folder / "thesis.txt").write_text("mine")
    with pytest.raises(FileExistsError, match=r"other files in it, such as 'thesis\.txt'"):
        write_tfjs(folder, graph_of(made("snake")))
    assert sorted(file.name for file in folder.iterdir()) == ["group1-shard1of1.bin", "model.json", "thesis.txt"]
    (tmp_path / "plain").write_text("mine")
    with pytest.raises(FileExistsError, match="is a file"):
        write_tfjs(tmp_path / "plain", graph_of(made("head")))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["model", "plain"]


@pytest.mark.parametrize("fails", ["os.fsync", "pathlib.Path.rename"])
def test_a_write_that_fails_changes_nothing(fails, tmp_path, monkeypatch):
    write_tfjs(tmp_path / "model", graph_of(made("head")))
    before = {file.name: file.read_bytes() for file in (tmp_path / "model").iterdir()}
    calls = []

    def full(*_):
        calls.append(1)
        if len(calls) < 3:
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(fails, full)
        for name in ("model", "other"):
            with pytest.raises(OSError, match="No space left"):
                write_tfjs(tmp_path / name, graph_of(made("dueling")))
    assert {file.name: file.read_bytes() for file in (tmp_path / "model").iterdir()} == before
    assert [one.name for one in tmp_path.iterdir()] == ["model"]


def test_weights_that_do_not_fit(tmp_path):
    network = made("head")
    network.layers[1].kernel.assign(np.full((4, 8), 1e6, np.float32))
    with pytest.raises(BadModel, match=r"1e\+06 does not fit into float16"):
        write_tfjs(tmp_path / "model", graph_of(network), quantize="float16")
    assert list(tmp_path.iterdir()) == []


def test_settings_that_only_training_needs_are_left_out(tmp_path):
    regular = keras.Sequential(
        [layers.Input((3,)), layers.Dense(2, kernel_regularizer="l2", bias_constraint="non_neg")]
    )
    write_tfjs(tmp_path / "model", graph_of(regular))
    config = json.loads((tmp_path / "model" / "model.json").read_text())["modelTopology"]["config"]["layers"][1][
        "config"
    ]
    assert sorted(config) == ["activation", "dtype", "name", "trainable", "units", "use_bias"]


@pytest.mark.parametrize(
    ("layer", "sentence"),
    [
        (lambda: layers.ReLU(negative_slope=0.1), "has a slope or a threshold; TF.js knows only max_value"),
        (lambda: layers.ELU(alpha=0.5), "has alpha=0.5; TF.js knows only 1"),
        (lambda: layers.Dense(2, activation="exponential"), "the activation 'exponential', which TF.js does not have"),
        (lambda: layers.Conv1D(2, 3, padding="causal"), "padding='causal', which TF.js does not have"),
    ],
)
def test_what_only_tfjs_lacks(layer, sentence, tmp_path):
    network = keras.Sequential([layers.Input((6, 3)), layer()])
    with pytest.raises(BadModel, match=sentence):
        write_tfjs(tmp_path / "model", graph_of(network))
    assert list(tmp_path.iterdir()) == []


def shared():
    inputs, layer = keras.Input((3,)), layers.Dense(3)
    return keras.Model(inputs, layer(layer(inputs)))


class Own(keras.Model):
    def call(self, inputs):
        return inputs


@pytest.mark.parametrize(
    ("network", "sentence"),
    [
        (lambda: keras.Sequential([layers.Input((6, 3)), layers.LSTM(2)]), "is a 'LSTM', which is not supported"),
        (
            lambda: keras.Sequential([layers.Input((9, 9, 4)), layers.Conv2D(4, 3, groups=2)]),
            "has groups=2; only groups=1 is supported",
        ),
        (
            lambda: keras.Sequential([layers.Input((2, 9, 9)), layers.Flatten(data_format="channels_first")]),
            "data_format='channels_first'; only data_format='channels_last' is supported. Make the network",
        ),
        (
            lambda: keras.Sequential([layers.Input((4, 4)), layers.BatchNormalization(axis=1)]),
            "works along axis 1 of a batch",
        ),
        (lambda: keras.Sequential([layers.Input((None, 3)), layers.Dense(2)]), r"has the shape \(?\[?None, None, 3"),
        (
            lambda: keras.Sequential([layers.Input((3,)), layers.Dense(2, activation="hard_sigmoid")]),
            "'hard_sigmoid', which Keras 3 and TF.js compute differently",
        ),
        (
            lambda: keras.Sequential([layers.Input((3,)), layers.Dense(2, activation=keras.ops.sin)]),
            "the activation .*, which is not supported",
        ),
        (lambda: keras.Sequential([layers.Dense(2)]), "has not been built"),
        (shared, "is used 2 times; layers that are shared are not supported"),
        (Own, "is a Own; only Sequential and functional Keras models"),
        (lambda: keras.layers.Dense(2), "is a Dense; only Sequential and functional Keras models"),
        (
            lambda: keras.Model(x := keras.Input((3,)), x * 2.0),
            "is called with 2.0; only outputs of other layers are supported",
        ),
    ],
)
def test_networks_that_are_not_supported(network, sentence):
    with pytest.raises(BadModel, match=sentence):
        graph_of(network())
