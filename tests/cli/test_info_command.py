"""`whygrad info`: what a report of a fault says about the machine."""

from __future__ import annotations

import json
from importlib import metadata

import pytest
from cli_runs import python, whygrad

import whygrad as package
from whygrad import installation


def test_info(tmp_path):
    result = whygrad(tmp_path, "info", KERAS_BACKEND="torch")
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith(f"whygrad     {package.__version__}\nPython      CPython 3.")
    for name in ("torch", "keras", "jax", "numpy", "gymnasium"):
        assert f"{name} {metadata.version(name)}\n" in result.out
    assert "Keras runs on torch (the variable KERAS_BACKEND)" in result.out
    assert "KERAS_BACKEND=torch" in result.out
    assert str(tmp_path.home()) not in result.out


def test_info_as_json(tmp_path):
    found = json.loads(whygrad(tmp_path, "info", "--json").out)
    assert found["whygrad"] == package.__version__
    assert found["packages"]["torch"] == metadata.version("torch")
    assert found["extras"]["torch"] == []
    assert found["cpus"]["machine"] >= found["cpus"]["usable"] >= 1
    assert "devices" not in found


def test_no_framework_is_imported(tmp_path):
    code = "import sys; from whygrad.cli.main import main; main(['info']); print(*sys.modules)"
    modules = python(tmp_path, "-c", code).out.splitlines()[-1].split()
    assert "whygrad.installation" in modules
    assert not {"torch", "tensorflow", "keras", "jax", "numpy"} & set(modules)


def test_devices_and_a_framework_that_cannot_be_imported(tmp_path):
    """A module of the same name that fails stands for a broken installation."""
    for name in ("tensorflow", "jax"):
        (tmp_path / f"{name}.py").write_text("raise OSError('libcuda.so.1 is too old')\n")
    found = json.loads(whygrad(tmp_path, "info", "--devices", "--json", PYTHONPATH=str(tmp_path)).out)["devices"]
    assert found["torch"][0] == "cpu"
    assert found["jax"] == found["tensorflow"] == "could not be imported: OSError: libcuda.so.1 is too old"


@pytest.mark.parametrize(
    ("written", "name", "told_by"),
    [
        ('{"backend": "jax"}', "jax", "Keras' file keras.json"),
        ("{}", "tensorflow", "Keras' default"),
        ("no JSON", "tensorflow", "Keras' default"),
        (None, "tensorflow", "Keras' default"),
    ],
)
def test_the_backend_of_keras(tmp_path, monkeypatch, written, name, told_by):
    monkeypatch.delenv("KERAS_BACKEND", raising=False)
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    if written is not None:
        (tmp_path / "keras.json").write_text(written)
    assert installation.keras_backend() == {"name": name, "from": told_by}


def test_keras_agrees(tmp_path):
    """It says the same as Keras itself, which is imported for that."""
    (tmp_path / "keras.json").write_text('{"backend": "jax"}')
    settings = {"KERAS_HOME": str(tmp_path), "KERAS_BACKEND": ""}
    code = "import keras; print(keras.config.backend())"
    assert python(tmp_path, "-c", code, **settings).out == "jax\n"
    assert "Keras runs on jax (Keras' file keras.json)" in whygrad(tmp_path, "info", **settings).out


def test_extras_that_lack_something():
    lacks = installation.extras(
        [
            'pytest>=1.0; extra == "one"',
            "pytest[toml]>=999; extra == 'one'",
            "no-such-package>=1; extra == 'two'",
            "no-such-package; python_version > '3'",
            "no-such-package; extra == 'dev'",
        ]
    )
    assert lacks == {"one": ["pytest[toml]>=999"], "two": ["no-such-package>=1"]}


@pytest.mark.parametrize(
    ("found", "least", "met"),
    [("2.13.0+cpu", "2.4", True), ("2.4.0", "2.4", True), ("3.9", "3.15", False), ("2.0rc1", "2", True)],
)
def test_versions_are_compared_as_numbers(monkeypatch, found, least, met):
    monkeypatch.setattr(installation, "version", lambda name: found)
    assert installation.extras([f"some>={least}; extra == 'one'"]) == {"one": [] if met else [f"some>={least}"]}


def test_a_framework_that_is_too_old(monkeypatch):
    monkeypatch.setattr(
        metadata, "requires", lambda name: ["jax>=0.10.2; extra == 'jax'", "torch>=2; extra == 'torch'"]
    )
    monkeypatch.setattr(installation, "version", {"jax": "0.10.1", "torch": "2.13.0+cpu"}.get)
    assert installation.too_old("torch") is None
    assert installation.too_old("tensorflow") is None
    assert str(installation.too_old("jax")).startswith("jax 0.10.1 is older than what whygrad was seen to work with")
