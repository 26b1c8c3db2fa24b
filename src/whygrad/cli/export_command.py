"""whygrad export: a network of a run as a file for other programs."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whygrad.cli import backends
from whygrad.cli.evaluate_command import add_checkpoint
from whygrad.cli.exported import choose_network, facts
from whygrad.cli.files import check_writable
from whygrad.cli.output import fail, say
from whygrad.cli.refusals import in_sentences

if TYPE_CHECKING:
    from whygrad.interchange.graph import Graph
    from whygrad.rl.restoring import Restored

NAME = "export"

DESCRIPTION = """\
Write a network of a run for other programs: as a TensorFlow.js layers model (a
folder, for browsers and Node), as an ONNX file, or as Keras' own file. Where the
training scaled its observations, the same scaling is part of what is written.
"""


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        NAME,
        help="write a network of a run for TensorFlow.js, ONNX or Keras",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("run_folder", metavar="RUN", help="the folder of a run")
    parser.add_argument("--to", choices=("tfjs", "onnx", "keras"), required=True, help="the form")
    parser.add_argument("--out", metavar="PATH", help="where to (default: NETWORK.tfjs, … in the run's folder)")
    add_checkpoint(parser)
    parser.add_argument("--network", metavar="NAME", help="which (default: the one that acts)")
    parser.add_argument(
        "--quantize", choices=("float16", "uint16", "uint8"), help="with --to tfjs: smaller files, less exact weights"
    )
    backends.add_option(parser, backends.DEFAULT)
    parser.set_defaults(run=execute)


def execute(options: argparse.Namespace) -> int:
    """Check what was asked, restore the network and write it."""
    if options.quantize and options.to != "tfjs":
        return fail(f"--quantize goes with --to tfjs; {options.to} is written in full.")
    if options.out is not None and options.to != "tfjs" and Path(options.out).suffix != f".{options.to}":
        return fail(f"--out ends in .{options.to} with --to {options.to}, got {options.out!r}.")
    trouble = backends.get_ready(options.backend)
    if trouble is None and options.to == "onnx" and not backends.installed("onnx"):
        trouble = "this needs onnx, not installed here: pip install 'whygrad[onnx]'"
    return fail(trouble) if trouble else in_sentences(partial(_export, options))


def _export(options: argparse.Namespace) -> int:
    from whygrad.rl.restoring import restore

    with restore(options.run_folder, options.checkpoint) as restored:
        restored.engine.write_back()
        name, sentence = choose_network(restored.engine.networks, options.network)
        if name is None:
            return fail(sentence)
        out = Path(options.out) if options.out is not None else Path(options.run_folder) / f"{name}.{options.to}"
        trouble = _not_writable(out, options.to)
        return fail(trouble) if trouble else _write(restored, name, out, options)


def _not_writable(out: Path, form: str) -> str | None:
    from whygrad.interchange.tfjs_writing import of_a_model
    from whygrad.whole_folder import not_replaceable

    return not_replaceable(out, of_a_model) if form == "tfjs" else check_writable(str(out), "network")


def _write(restored: Restored, name: str, out: Path, options: argparse.Namespace) -> int:
    from whygrad.interchange.graph import shapes
    from whygrad.interchange.keras_graph import graph_of

    graph = replace(_scaled(graph_of(restored.engine.networks[name]), restored), name=name)
    given = shapes(graph)
    about = facts(restored, options.run_folder, name, given[graph.outputs[0]])
    size, use = _WRITERS[options.to](out, graph, about, options.quantize)
    say(f"network    {name} of {about['agent']} on {about['environment']}, {graph.parameters:,} parameters")
    say(f"           from the {restored.which} checkpoint (step {restored.steps:,})")
    for source in graph.inputs:
        say(f"input      {source} {_shape(given[source])}")
    act = about["action"]["from_output"]
    for end in graph.outputs:
        say(f"output     {_shape(given[end])}{f'; the action: {act}' if act else ''}")
    say(f"written    {shlex.quote(str(out))} ({size:,} bytes)")
    say(f"to use it  {use}")
    return 0


def _write_tfjs(out: Path, graph: Graph, about: dict[str, Any], quantize: str | None) -> tuple[int, str]:
    from whygrad.interchange.tfjs_writing import write_tfjs

    files = write_tfjs(out, graph, {"whygrad": about}, quantize)
    return sum(files.values()), f"const model = await tf.loadLayersModel('{out.name}/model.json')"


def _write_onnx(out: Path, graph: Graph, about: dict[str, Any], _: str | None) -> tuple[int, str]:
    from whygrad.interchange.onnx_writing import write_onnx

    write_onnx(out, graph, {f"whygrad.{key}": value for key, value in about.items()})
    return out.stat().st_size, f"session = onnxruntime.InferenceSession({out.name!r})"


def _write_keras(out: Path, graph: Graph, about: dict[str, Any], _: str | None) -> tuple[int, str]:
    from whygrad.interchange.keras_file import write_keras
    from whygrad.interchange.keras_graph import model_of

    write_keras(out, model_of(graph))
    return out.stat().st_size, f"model = keras.saving.load_model({out.name!r})"


_WRITERS = {"tfjs": _write_tfjs, "onnx": _write_onnx, "keras": _write_keras}
"""Each writes a file or folder and gives its size and a line of code that loads it."""


def _scaled(graph: Graph, restored: Restored) -> Graph:
    """With the layers that scale observations, where the agent was trained on scaled ones."""
    if restored.moments is None:
        return graph
    import numpy as np

    from whygrad.interchange.scaling import with_scaled_input
    from whygrad.rl.normalise import LIMIT, SMALL

    deviation = np.sqrt(restored.moments.variance + SMALL)
    return with_scaled_input(graph, graph.inputs[0], restored.moments.mean, deviation, LIMIT)


def _shape(shape: tuple[int, ...]) -> str:
    return f"[batch, {', '.join(map(str, shape))}]"
