"""Models that TF.js made and saved, in Keras."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest
from networks import said, same
from tfjs_node import array, needs_node

from whygrad.interchange.keras_graph import model_of
from whygrad.interchange.number_forms import made_smaller, restored
from whygrad.interchange.tfjs_reading import read_tfjs

MODELS = ("snake", "activations", "images", "pooled", "signals", "branches")


def expected(folder):
    found = json.loads((folder / "io.json").read_text())
    return [array(one) for one in found["inputs"]], [array(one) for one in found["outputs"]]


def rewrite(folder, target, change):
    """A copy of a saved model with another model.json."""
    target.mkdir()
    for file in folder.glob("*.bin"):
        (target / file.name).write_bytes(file.read_bytes())
    model = json.loads((folder / "model.json").read_text())
    change(model)
    (target / "model.json").write_text(json.dumps(model))
    return target


@needs_node
@pytest.mark.parametrize("name", MODELS)
def test_the_outputs_are_equal(saved, name):
    read = read_tfjs(saved / name)
    inputs, outputs = expected(saved / name)
    model = model_of(read.graph)
    same(said(model, inputs), outputs)
    assert read.made_by.startswith("TensorFlow.js tfjs-layers v4")


@needs_node
def test_the_network_of_snake_dqn(saved):
    model = model_of(read_tfjs(saved / "snake" / "model.json").graph)
    assert isinstance(model, keras.Sequential)
    assert (model.count_params(), model.input_shape, model.output_shape) == (1_120_019, (None, 9, 9, 2), (None, 3))
    kinds = [type(layer).__name__ for layer in model.layers]
    assert kinds == [*["Conv2D", "BatchNormalization"] * 2, "Conv2D", "Flatten", "Dense", "Dropout", "Dense"]
    assert len(list((saved / "snake").glob("*.bin"))) == 2
    # Training goes on with what the file says, not with Keras' defaults.
    assert model.layers[-2].rate == 0.25
    assert model.layers[1].momentum == 0.99


@needs_node
@pytest.mark.parametrize("name", ["images", "branches"])
def test_other_ways_to_write_the_same(saved, name, tmp_path):
    inputs, outputs = expected(saved / name)

    def nested(model):  # as Python's converter does
        topology = model["modelTopology"]
        kind = {"Model": "Functional"}.get(topology["class_name"], topology["class_name"])
        config = {"class_name": kind, "config": topology["config"]}
        model["modelTopology"] = {"keras_version": "2.15.0", "backend": "tensorflow", "model_config": config}
        for spec in model["weightsManifest"][0]["weights"]:
            spec["name"] = f"model/{spec['name']}"
        model["format"], model["convertedBy"] = "layers-model", "TensorFlow.js Converter v4.22.0"

    def camel(model):
        model["modelTopology"] = in_camel_case(model["modelTopology"])

    def with_optimizer(model):
        spec = {"name": "Adam/m", "shape": [2], "dtype": "float32", "group": "optimizer"}
        model["weightsManifest"][0]["weights"].append(spec)

    folder = rewrite(saved / name, tmp_path / "nested", nested)
    assert read_tfjs(folder).made_by == "TensorFlow.js Converter v4.22.0"
    same(said(model_of(read_tfjs(folder).graph), inputs), outputs)
    same(said(model_of(read_tfjs(rewrite(saved / name, tmp_path / "camel", camel)).graph), inputs), outputs)
    folder = rewrite(saved / name, tmp_path / "optimizer", with_optimizer)
    with sorted(folder.glob("*.bin"), key=lambda file: (len(file.name), file.name))[-1].open("ab") as file:
        file.write(bytes(8))
    same(said(model_of(read_tfjs(folder).graph), inputs), outputs)


def in_camel_case(found):
    if isinstance(found, list):
        return [in_camel_case(one) for one in found]
    if not isinstance(found, dict):
        return found
    keys = {key: "".join([key.split("_")[0], *(part.capitalize() for part in key.split("_")[1:])]) for key in found}
    return {keys[key]: in_camel_case(value) for key, value in found.items()}


@needs_node
@pytest.mark.parametrize(("form", "apart"), [("float16", 5e-3), ("uint16", 1e-3), ("uint8", 0.2)])
def test_quantised_weights(saved, tmp_path, form, apart):
    read = read_tfjs(saved / "images").graph
    model = json.loads((saved / "images" / "model.json").read_text())
    weights = {f"{node.name}/{role}": value for node in read.nodes for role, value in node.weights.items()}
    specs, parts, back = model["weightsManifest"][0]["weights"], [], {}
    for spec in specs:
        numbers, spec["quantization"] = made_smaller(weights[spec["name"]], form)
        parts.append(numbers.tobytes())
        back[spec["name"]] = restored(numbers, spec["quantization"])
    model["weightsManifest"][0]["paths"] = ["all.bin"]
    (tmp_path / "model.json").write_text(json.dumps(model))
    (tmp_path / "all.bin").write_bytes(b"".join(parts))
    found = read_tfjs(tmp_path).graph
    for node in found.nodes:
        for role, value in node.weights.items():
            assert value.dtype == np.float32
            np.testing.assert_array_equal(value, back[f"{node.name}/{role}"])
    inputs, outputs = expected(saved / "images")
    same(said(model_of(found), inputs), outputs, apart)


def test_a_model_of_keras_2(tmp_path):
    """What Python's converter writes for Keras 2 is Keras 2's own JSON, and weights by their names."""
    script = Path(__file__).with_name("keras_2_model.py")
    done = subprocess.run([sys.executable, str(script), str(tmp_path)], capture_output=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr.decode()
    for name in ("chain", "web"):
        inputs, outputs = expected(tmp_path / name)
        same(said(model_of(read_tfjs(tmp_path / name).graph), inputs), outputs)


def test_layers_without_a_name(tmp_path):
    layers = [{"class_name": "Dense", "config": {"units": 2, "use_bias": False, "batch_input_shape": [None, 3]}}]
    weights = [{"name": "layer_1/kernel", "shape": [3, 2], "dtype": "float32"}]
    model = {
        "modelTopology": {"class_name": "Sequential", "config": layers},
        "weightsManifest": [{"paths": ["w.bin"], "weights": weights}],
    }
    (tmp_path / "model.json").write_text(json.dumps(model))
    (tmp_path / "w.bin").write_bytes(np.arange(6, dtype="<f4").tobytes())
    found = said(model_of(read_tfjs(tmp_path).graph), [np.ones((1, 3), np.float32)])
    same(found, [np.array([[6.0, 9.0]], np.float32)])
