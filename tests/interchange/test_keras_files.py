"""Keras' own files, and layers that scale observations in front of a network."""

from __future__ import annotations

import keras
import numpy as np
import onnxruntime
import pytest
from keras import layers
from networks import NETWORKS, inputs_for, made, said, same
from tfjs_node import needs_node, predict

from whygrad.interchange.bad_model import BadModel
from whygrad.interchange.graph import shapes
from whygrad.interchange.keras_file import read_keras, write_keras
from whygrad.interchange.keras_graph import graph_of, model_of
from whygrad.interchange.onnx_writing import write_onnx
from whygrad.interchange.scaling import with_scaled_input
from whygrad.interchange.tfjs_writing import write_tfjs
from whygrad.rl.normalise import LIMIT, SMALL, RunningMoments


@pytest.mark.parametrize("name", ["head", "branches", "dueling"])
def test_there_and_back(name, tmp_path):
    network = made(name)
    inputs = inputs_for(network)
    write_keras(tmp_path / "network.keras", network)
    same(said(read_keras(tmp_path / "network.keras"), inputs), said(network, inputs), 1e-6)
    assert [file.name for file in tmp_path.iterdir()] == ["network.keras"]


@pytest.mark.parametrize("name", NETWORKS)
def test_our_shapes_are_those_of_keras(name):
    network = made(name)
    found = shapes(graph_of(network))
    for layer in network.layers:
        assert found[layer.name] == tuple(layer.output.shape[1:])


def test_damaged_files(tmp_path):
    file = tmp_path / "network.keras"
    with pytest.raises(BadModel, match="there is no file"):
        read_keras(file)
    write_keras(file, made("head"))
    whole = file.read_bytes()
    for damaged in (b"", b"hello", whole[: len(whole) // 2]):
        file.write_bytes(damaged)
        with pytest.raises(BadModel, match=r"is not a \.keras file, or it is cut off"):
            read_keras(file)
    file.write_bytes(whole.replace(b"config.json", b"konfig.json"))
    with pytest.raises(BadModel, match="cannot be read by Keras"):
        read_keras(file)


def test_code_in_a_file_is_not_run(tmp_path):
    lambdas = keras.Sequential([layers.Input((2,)), layers.Lambda(lambda x: x + 1)])
    write_keras(tmp_path / "network.keras", lambdas)
    with pytest.raises(BadModel, match=r"cannot be read by Keras: .*[Ll]ambda"):
        read_keras(tmp_path / "network.keras")


@needs_node
@pytest.mark.parametrize("name", ["head", "board"])
def test_observations_are_scaled_as_in_training(name, tmp_path):
    network = made(name)
    shape = tuple(network.input_shape[1:])
    rng = np.random.default_rng(3)
    moments = RunningMoments(shape)
    moments.update(rng.normal(size=(500, *shape)) * rng.uniform(0.1, 5.0, shape) + rng.normal(size=shape))
    graph = graph_of(network)
    scaled = with_scaled_input(graph, graph.inputs[0], moments.mean, np.sqrt(moments.variance + SMALL), LIMIT)
    inputs = [(rng.normal(size=(64, *shape)) * 20.0).astype(np.float32)]
    assert (np.abs(moments.scale(inputs[0])) == LIMIT).any()
    wanted = said(network, [moments.scale(inputs[0])])
    same(said(model_of(scaled), inputs), wanted)
    write_onnx(tmp_path / "network.onnx", scaled)
    session = onnxruntime.InferenceSession(str(tmp_path / "network.onnx"), providers=["CPUExecutionProvider"])
    same(session.run(None, {session.get_inputs()[0].name: inputs[0]}), wanted)
    write_tfjs(tmp_path / "model", scaled)
    same(predict(tmp_path / "model", inputs)[0], wanted)
