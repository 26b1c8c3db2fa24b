"""Keras' own files, `.keras`: written whole, read without running anything that is in them."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path
from typing import Any

import keras

from whygrad.interchange.bad_model import BadModel
from whygrad.whole_file import whole_file


def read_keras(path: str | Path) -> Any:
    """A model from a `.keras` file. Code in the file (a Lambda layer) is refused, never run."""
    if not Path(path).is_file():
        raise BadModel(f"there is no file {str(path)!r}.")
    if not zipfile.is_zipfile(path):
        raise BadModel(f"{str(path)!r} is not a .keras file, or it is cut off: such a file is a ZIP archive.")
    try:
        return keras.saving.load_model(path, compile=False, safe_mode=True)
    except Exception as error:  # Keras raises all kinds for damaged files
        said = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise BadModel(f"{str(path)!r} cannot be read by Keras: {said}") from error


def write_keras(path: str | Path, model: Any) -> None:
    """Write a `.keras` file, whole."""
    with tempfile.TemporaryDirectory() as folder:  # Keras writes to names that end in .keras only
        made = Path(folder) / "model.keras"
        model.save(made)
        data = made.read_bytes()
    with whole_file(path) as file:
        file.write(data)
