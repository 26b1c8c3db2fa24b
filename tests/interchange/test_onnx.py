"""Keras networks as ONNX, in ONNX Runtime."""

from __future__ import annotations

import json

import keras
import onnx
import onnxruntime
import pytest
from keras import layers
from networks import NETWORKS, inputs_for, made, said, same

from whygrad.interchange.keras_graph import graph_of
from whygrad.interchange.onnx_writing import OPSET, write_onnx


def answers(path, inputs):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_inputs()]
    return session.run(None, dict(zip(names, inputs, strict=True)))


@pytest.mark.parametrize("name", NETWORKS)
def test_the_outputs_are_equal(name, tmp_path):
    network = made(name)
    write_onnx(tmp_path / "network.onnx", graph_of(network))
    for rows in (1, 5):
        inputs = inputs_for(network, rows)
        same(answers(tmp_path / "network.onnx", inputs), said(network, inputs))


@pytest.mark.parametrize(
    "layer",
    [
        lambda: layers.ReLU(max_value=1.0, negative_slope=0.3, threshold=0.4),
        lambda: layers.ReLU(negative_slope=0.3),
        lambda: layers.ELU(alpha=0.5),
        lambda: layers.Conv1D(2, 3, padding="causal", dilation_rate=2),
        lambda: layers.Conv1D(2, 3, strides=2, padding="same"),
        lambda: layers.Dense(2, activation="exponential"),
        lambda: layers.BatchNormalization(),
    ],
)
def test_what_only_tfjs_lacks(layer, tmp_path):
    network = keras.Sequential([layers.Input((9, 3)), layer()])
    inputs = inputs_for(network)
    write_onnx(tmp_path / "network.onnx", graph_of(network))
    same(answers(tmp_path / "network.onnx", inputs), said(network, inputs))


def test_a_mean_without_its_axis(tmp_path):
    inputs = keras.Input((3, 4))
    network = keras.Model(inputs, keras.ops.mean(inputs, axis=-1))
    write_onnx(tmp_path / "network.onnx", graph_of(network))
    same(answers(tmp_path / "network.onnx", inputs_for(network)), said(network, inputs_for(network)))


def test_the_file_says_where_it_comes_from(tmp_path):
    file = tmp_path / "network.onnx"
    write_onnx(file, graph_of(made("head")), {"whygrad.agent": "dqn", "whygrad.observation": {"shape": [4]}})
    model = onnx.load(file)
    found = {entry.key: entry.value for entry in model.metadata_props}
    assert found == {"whygrad.agent": "dqn", "whygrad.observation": '{"shape": [4]}'}
    assert json.loads(found["whygrad.observation"]) == {"shape": [4]}
    assert (model.producer_name, model.opset_import[0].version) == ("whygrad", OPSET)
    first = file.read_bytes()
    write_onnx(file, graph_of(made("head")), {"whygrad.agent": "dqn", "whygrad.observation": {"shape": [4]}})
    assert len(file.read_bytes()) == len(first)
    assert [one.name for one in tmp_path.iterdir()] == ["network.onnx"]


def test_images_are_not_turned_more_than_needed(tmp_path):
    """Five layers that want channels first: turned once on the way in, once on the way out."""
    write_onnx(tmp_path / "network.onnx", graph_of(made("snake")))
    kinds = [node.op_type for node in onnx.load(tmp_path / "network.onnx").graph.node]
    assert kinds.count("Transpose") == 2
    assert kinds.count("Conv") == 3
