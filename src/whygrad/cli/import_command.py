"""whygrad import: a network that TensorFlow.js saved, as Keras' own file."""

from __future__ import annotations

import argparse
import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whygrad.cli import backends
from whygrad.cli.files import check_writable
from whygrad.cli.output import fail, say
from whygrad.cli.refusals import in_sentences

if TYPE_CHECKING:
    from whygrad.interchange.graph import Graph

NAME = "import"

DESCRIPTION = """\
Read a layers model that TensorFlow.js saved (its model.json, or the folder with
it), say what is in it, and write it as Keras' own file, which every backend
loads. A .keras file is checked, and copied with --out.
"""


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        NAME,
        help="read a network that TensorFlow.js saved",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="model.json, the folder with it, or a .keras file")
    parser.add_argument("--out", metavar="FILE", help="where to, ends in .keras (default: beside model.json)")
    backends.add_option(parser, backends.DEFAULT)
    parser.set_defaults(run=execute)


def execute(options: argparse.Namespace) -> int:
    """Read, say what was read, write."""
    if options.out is not None and Path(options.out).suffix != ".keras":
        return fail(f"--out ends in .keras, got {options.out!r}.")
    trouble = backends.get_ready(options.backend)
    return fail(trouble) if trouble else in_sentences(partial(_import, options))


def _import(options: argparse.Namespace) -> int:
    from whygrad.interchange.bad_model import BadModel
    from whygrad.interchange.keras_file import read_keras, write_keras
    from whygrad.interchange.keras_graph import graph_of, model_of
    from whygrad.interchange.tfjs_reading import read_tfjs

    file = Path(options.file)
    graph: Graph | None
    if file.suffix == ".keras" and not file.is_dir():
        model, made_by = read_keras(file), "Keras"
        out = None if options.out is None else Path(options.out)
        try:
            graph = graph_of(model)
        except BadModel:  # whatever Keras can load it can also write again
            graph = None
    else:
        read = read_tfjs(file)
        file, graph, made_by, model = read.file, read.graph, read.made_by, model_of(read.graph)
        out = Path(options.out) if options.out is not None else file.with_suffix(".keras")
    trouble = None if out is None else check_writable(str(out), "network")
    if trouble:
        return fail(trouble)
    if out is not None:
        write_keras(out, model)
    say(f"read       {shlex.quote(str(file))}, written by {made_by}")
    say(f"network    {type(model).__name__}, {len(model.layers)} layers, {model.count_params():,} parameters")
    for line in _layers(graph) if graph is not None else ():
        say(f"           {line}")
    if out is not None:
        say(f"written    {shlex.quote(str(out))}")
    say(f"to use it  model = keras.saving.load_model({str(out or file)!r})")
    say('           whygrad.rl.train(…, networks={"q": model})')
    return 0


def _layers(graph: Graph) -> list[str]:
    """One line for each layer: name, kind, the shape of what it gives, how many numbers it has."""
    from whygrad.interchange.graph import shapes

    given = shapes(graph)
    width = max(len(node.name) for node in graph.nodes)
    lines = []
    for node in graph.nodes:
        size = sum(array.size for array in node.weights.values())
        shape = f"[{', '.join(map(str, ('batch', *given[node.name])))}]"
        lines.append(f"{node.name:{width}}  {node.kind:18}  {shape:22}  {size:>9,}".rstrip())
    return lines
