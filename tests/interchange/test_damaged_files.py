"""What is wrong with a TF.js model is said in one sentence, and nothing outside its folder is read."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

from whygrad.interchange.bad_model import BadModel
from whygrad.interchange.tfjs_reading import read_tfjs

KERNEL = np.arange(12, dtype="<f4")
BIAS = np.arange(3, dtype="<f4")


def model():
    """A whole model of one Dense layer, as data."""
    dense = {"name": "dense", "units": 3, "activation": "relu", "batch_input_shape": [None, 4]}
    specs = [
        {"name": "dense/kernel", "shape": [4, 3], "dtype": "float32"},
        {"name": "dense/bias", "shape": [3], "dtype": "float32"},
    ]
    return {
        "format": "layers-model",
        "modelTopology": {"class_name": "Sequential", "config": {"layers": [{"class_name": "Dense", "config": dense}]}},
        "weightsManifest": [{"paths": ["weights.bin"], "weights": specs}],
    }


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "model"
    made.mkdir()
    (made / "weights.bin").write_bytes(KERNEL.tobytes() + BIAS.tobytes())
    (made / "model.json").write_text(json.dumps(model()))
    (tmp_path / "secret.bin").write_bytes(KERNEL.tobytes() + BIAS.tobytes())
    return made


def refused(folder, change=None):
    """The sentence with which a changed model is refused."""
    if change is not None:
        found = model()
        change(found)
        (folder / "model.json").write_text(json.dumps(found))
    with pytest.raises(BadModel) as error:
        read_tfjs(folder)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 700
    return str(error.value)


def spec(found, n=0):
    return found["weightsManifest"][0]["weights"][n]


def dense(found):
    return found["modelTopology"]["config"]["layers"][0]


def test_the_model_itself_is_whole(folder):
    graph = read_tfjs(folder).graph
    assert graph.parameters == 15
    np.testing.assert_array_equal(graph.nodes[1].weights["kernel"], KERNEL.reshape(4, 3))


@pytest.mark.parametrize("change", [lambda data: data[:-1], lambda data: data[:20], lambda data: b""])
def test_a_shard_that_is_cut_off(folder, change):
    file = folder / "weights.bin"
    file.write_bytes(change(file.read_bytes()))
    assert "the weights in 'weights.bin' are cut off: " in refused(folder)
    assert refused(folder).endswith("60 expected. Copy or save them again.")


def test_a_shard_that_is_too_long(folder):
    with (folder / "weights.bin").open("ab") as file:
        file.write(b"x")
    assert "longer than they should be: 61 bytes, 60 expected" in refused(folder)


def test_a_shard_that_is_not_there(folder):
    (folder / "weights.bin").unlink()
    assert refused(folder) == "the weights file 'weights.bin' is not there. It belongs beside model.json."
    (folder / "weights.bin").mkdir()
    assert "is not there" in refused(folder)


@pytest.mark.parametrize(
    "path",
    ["../secret.bin", "/etc/passwd", "x/../../secret.bin", "..\\secret.bin", "C:\\secret.bin", "\\\\host\\share\\x"],
)
def test_a_manifest_that_points_outside(folder, path):
    said = refused(folder, lambda found: found["weightsManifest"][0].update(paths=[path]))
    assert said.startswith(f"the weightsManifest names the file {path!r}, which lies outside the model's folder.")


def test_an_absolute_path_to_the_right_file(folder):
    path = str(folder / "weights.bin")
    assert "lies outside" in refused(folder, lambda found: found["weightsManifest"][0].update(paths=[path]))


def test_links(folder, tmp_path):
    (folder / "weights.bin").unlink()
    (folder / "weights.bin").symlink_to(tmp_path / "secret.bin")
    assert "lies outside the model's folder" in refused(folder)
    (folder / "weights.bin").unlink()
    (folder / "weights.bin").symlink_to("weights.bin")
    assert "weights.bin" in refused(folder)
    (folder / "weights.bin").unlink()
    (folder / "real.bin").write_bytes((tmp_path / "secret.bin").read_bytes())
    (folder / "weights.bin").symlink_to("real.bin")
    assert read_tfjs(folder).graph.parameters == 15


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_pipe_is_not_waited_for(folder):
    (folder / "weights.bin").unlink()
    os.mkfifo(folder / "weights.bin")
    assert "is not there" in refused(folder)


@pytest.mark.parametrize("path", [None, 3, "", ["weights.bin"]])
def test_a_path_that_is_none(folder, path):
    said = refused(folder, lambda found: found["weightsManifest"][0].update(paths=[path]))
    assert said.startswith(
        f"the weightsManifest names the file {path!r}; the name of a file beside model.json is needed"
    )


@pytest.mark.parametrize("text", ["", "{", "not JSON", "[" * 100_000, "\x00", '{"a": 1,}'])
def test_what_is_not_json(folder, text):
    (folder / "model.json").write_text(text)
    assert "model.json' is not JSON: " in refused(folder)


def test_bytes_that_are_no_text(folder):
    (folder / "model.json").write_bytes(b"\xff\xfe\x00\x81")
    assert "is not JSON" in refused(folder)


@pytest.mark.parametrize("text", ["[]", "3", '"x"', "null"])
def test_json_that_is_no_object(folder, text):
    (folder / "model.json").write_text(text)
    assert "should hold a JSON object, and holds a " in refused(folder)


def test_nothing_there(tmp_path):
    assert "there is no file" in refused(tmp_path)
    with pytest.raises(BadModel, match=r"Give the model\.json that TF.js saved, or the folder it lies in"):
        read_tfjs(tmp_path / "none.json")


CHANGES = {
    "is a graph model": lambda m: m.update(format="graph-model"),
    "--output_format tfjs_layers_model": lambda m: m.update(modelTopology={"node": []}, format=None),
    "has the format 'onnx'; 'layers-model' is needed": lambda m: m.update(format="onnx"),
    "has no modelTopology": lambda m: m.pop("modelTopology"),
    "has no weightsManifest": lambda m: m.pop("weightsManifest"),
    "has no weightsManifest, so": lambda m: m.update(weightsManifest={}),
    "a group without a list of paths": lambda m: m["weightsManifest"][0].pop("paths"),
    "a group without a list of weights": lambda m: m["weightsManifest"][0].update(weights=3),
    "a weight without a name": lambda m: spec(m).pop("name"),
    "has the shape 'x'; a list of whole numbers": lambda m: spec(m).update(shape="x"),
    "has the shape [-1, 3]": lambda m: spec(m).update(shape=[-1, 3]),
    "are cut off: 60 bytes, 4,000,000,000,012": lambda m: spec(m).update(shape=[10**6, 10**6]),
    "'dense/kernel' has the dtype 'float64'; known are float32, int32, uint8, bool": lambda m: spec(m).update(
        dtype="float64"
    ),
    "has the dtype None": lambda m: spec(m).pop("dtype"),
    "is quantised as {'dtype': 'int4'}; known are float16": lambda m: spec(m).update(quantization={"dtype": "int4"}),
    "is quantised as 3; known are": lambda m: spec(m).update(quantization=3),
    "quantised as uint8 without a number for 'scale'": lambda m: spec(m).update(quantization={"dtype": "uint8"}),
    "the weight 'other/kernel' belongs to no layer of the model; its layers are input, dense": lambda m: spec(m).update(
        name="other/kernel"
    ),
    "has a number for a name, as tensorflowjs_converter makes them of a .keras file. Import that": lambda m: spec(
        m
    ).update(name="layers/dense/vars/0"),
    "has the weight 'dense/kernel' twice": lambda m: spec(m, 1).update(name="dense/kernel"),
    "the layer 'dense' (Dense) has no weight 'bias'; it needs kernel, bias": lambda m: spec(m, 1).update(
        name="dense/gamma"
    ),
    "has a weight 'bias' that it has no use for; it takes kernel": lambda m: dense(m)["config"].update(use_bias=False),
    "the weight 'dense/kernel' has the shape [4, 3]; a Dense with these settings and inputs needs [5, 3]": lambda m: (
        dense(m)["config"].update(batch_input_shape=[None, 5])
    ),
    "needs [4, 1000000000000]": lambda m: dense(m)["config"].update(units=10**12),
    "'dense' is a 'Teleport', which is not supported. Supported: InputLayer, Dense": lambda m: dense(m).update(
        class_name="Teleport"
    ),
    "the activation 'warp', which is not supported": lambda m: dense(m)["config"].update(activation="warp"),
    "compute differently": lambda m: dense(m)["config"].update(activation="hardSigmoid"),
    "has units='x'; a whole number above 0": lambda m: dense(m)["config"].update(units="x"),
    "has units=0": lambda m: dense(m)["config"].update(units=0),
    "does not say its 'units'": lambda m: dense(m)["config"].pop("units"),
    "has fanciness=3, a setting that is not supported": lambda m: dense(m)["config"].update(fanciness=3),
    "does not say the shape of its input": lambda m: dense(m)["config"].pop("batch_input_shape"),
    "has the shape [None, None]": lambda m: dense(m)["config"].update(batch_input_shape=[None, None]),
    "takes 'int32'; only networks that take float32": lambda m: dense(m)["config"].update(dtype="int32"),
    "a layer should be a JSON object with a class_name": lambda m: m["modelTopology"]["config"].update(layers=[3]),
    "layers should be a list, and is None": lambda m: m["modelTopology"]["config"].pop("layers"),
    "the model has no layers": lambda m: m["modelTopology"]["config"].update(layers=[]),
    "the model is a 'Bidirectional'": lambda m: m["modelTopology"].update(class_name="Bidirectional"),
    "the model should be a JSON object with a class_name": lambda m: m["modelTopology"].pop("class_name"),
    "the config of a layer should be a JSON object": lambda m: dense(m).update(config=[1]),
    "two layers have the name 'dense'": lambda m: m["modelTopology"]["config"]["layers"].append(dense(m)),
}


@pytest.mark.parametrize("sentence", CHANGES)
def test_what_is_wrong_is_named(folder, sentence):
    assert sentence in refused(folder, CHANGES[sentence])


def web(*layers, inputs="a", outputs="b"):
    """A functional model of layers (name, kind, config, sources)."""
    made = [
        {
            "name": name, "class_name": kind, "config": config,
            "inbound_nodes": [[[s, 0, 0, {}] for s in sources]] if sources else [],
        }
        for name, kind, config, sources in layers
    ]  # fmt: skip
    ends = {"input_layers": [[inputs, 0, 0]], "output_layers": [[outputs, 0, 0]]}
    return {"class_name": "Model", "config": {"layers": made, **ends}}


IN = ("a", "InputLayer", {"batch_input_shape": [None, 6, 6, 2]}, ())
CONV = {"filters": 2, "kernel_size": 3}

WEBS = {
    "cannot be fed: there is no layer 'x'": web(IN, ("b", "Flatten", {}, ("x",))),
    "cannot be fed: its inputs lead round in a circle": web(
        IN, ("b", "Add", {}, ("a", "c")), ("c", "Flatten", {}, ("b",))
    ),
    "the layer 'x', which it does not have": web(IN, ("b", "Flatten", {}, ("a",)), outputs="x"),
    "a window of [7, 7] for an input of only [6, 6, 2]": web(IN, ("b", "Conv2D", {**CONV, "kernel_size": 7}, ("a",))),
    "'b' (Add) has 1 inputs; it needs 2": web(IN, ("b", "Add", {}, ("a",))),
    "'b' (Flatten) has 2 inputs; it needs 1": web(IN, ("b", "Flatten", {}, ("a", "a"))),
    "'b' (Dense) has 0 inputs; it needs 1": web(IN, ("b", "Dense", {"units": 2}, ())),
    "(Add) cannot join [6, 6, 2], [72]": web(IN, ("c", "Flatten", {}, ("a",)), ("b", "Add", {}, ("a", "c"))),
    "(Concatenate) cannot join": web(IN, ("c", "Flatten", {}, ("a",)), ("b", "Concatenate", {}, ("a", "c"))),
    "(Reshape) cannot make [5, 5] of [6, 6, 2]": web(IN, ("b", "Reshape", {"target_shape": [5, 5]}, ("a",))),
    "has dims=[1, 1, 2]": web(IN, ("b", "Permute", {"dims": [1, 1, 2]}, ("a",))),
    "needs 2 axes beside the batch": web(IN, ("b", "MaxPooling1D", {}, ("a",))),
    "data_format='channels_first'; only": web(IN, ("b", "Conv2D", {**CONV, "dataFormat": "channelsFirst"}, ("a",))),
    "has padding='reflect'": web(IN, ("b", "Conv2D", {**CONV, "padding": "reflect"}, ("a",))),
    "has kernel_size=[3]; 2 whole numbers above 0": web(IN, ("b", "Conv2D", {**CONV, "kernel_size": [3]}, ("a",))),
    "has strides=0": web(IN, ("b", "Conv2D", {**CONV, "strides": 0}, ("a",))),
    "works along axis 1": web(IN, ("b", "BatchNormalization", {"axis": 1}, ("a",))),
    "write ((top, bottom), (left, right))": web(IN, ("b", "ZeroPadding2D", {"padding": [1, 2, 3]}, ("a",))),
    "has rate='x'; a number is needed": web(IN, ("b", "Dropout", {"rate": "x"}, ("a",))),
    "has axis='x'; one axis": web(IN, ("b", "Softmax", {"axis": "x"}, ("a",))),
}  # fmt: skip


@pytest.mark.parametrize("sentence", WEBS)
def test_layers_that_do_not_fit_together(folder, sentence):
    assert sentence in refused(folder, lambda found: found.update(modelTopology=WEBS[sentence]))


def test_a_layer_that_is_used_twice_and_an_odd_reference(folder):
    found = web(IN, ("b", "Flatten", {}, ("a",)))
    found["config"]["layers"][1]["inbound_nodes"] *= 2
    assert "is used 2 times; layers that are shared" in refused(folder, lambda m: m.update(modelTopology=found))
    for odd in ([["a", 1, 0, {}]], [[]], [3], 3, [["a", 0, 1]]):
        found["config"]["layers"][1]["inbound_nodes"] = [odd]
        said = refused(folder, lambda m: m.update(modelTopology=found))
        assert "is fed with" in said or "should be a list" in said
