"""The pages of the Python API, from signatures and docstrings (which are Markdown)."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from typing import Any

from command_pages import settings_table

PAGES: dict[str, tuple[str, str, list[str]]] = {
    "api/whygrad.md": (
        "whygrad",
        "What `import whygrad` gives. It loads no framework.",
        [
            "whygrad.explain", "whygrad.record", "whygrad.watch", "whygrad.live.watching.Watch", "whygrad.contract",
            "whygrad.checking", "whygrad.Contract", "whygrad.BrokenContract", "whygrad.GradientFault", "whygrad.Report",
            "whygrad.Finding",
        ],
    ),
    "api/testing.md": (
        "whygrad.testing",
        "Assertions for tests: [testing that a network learns](../testing.md).",
        ["whygrad.testing.assert_learns", "whygrad.testing.assert_contract"],
    ),
    "api/callbacks.md": (
        "whygrad.interop",
        "[Callbacks](../callbacks.md) for the libraries that run your training. Each module imports its library.",
        [
            "whygrad.interop.keras_callback.WhyGrad", "whygrad.interop.lightning_callback.WhyGrad",
            "whygrad.interop.sb3_callback.WhyGrad",
        ],
    ),
    "api/rl.md": (
        "whygrad.rl",
        "Training agents: [the guide](../training.md). What each agent can be told is in "
        "[their settings](../reference/settings.md).",
        [
            "whygrad.rl.train", "whygrad.rl.resume", "whygrad.rl.Trained", "whygrad.rl.DQN", "whygrad.rl.REINFORCE",
            "whygrad.rl.A2C", "whygrad.rl.PPO", "whygrad.rl.DDPG", "whygrad.rl.TD3", "whygrad.rl.SAC", "whygrad.rl.CQL",
        ],
    ),
    "api/rl_parts.md": (
        "The parts of whygrad.rl",
        "For [agents](../own_agents.md) and [worlds](../how_to/your_own_environment.md) of your own, and for what "
        "comes after a training.",
        [
            "whygrad.rl.agent.Agent", "whygrad.rl.agent.Loss", "whygrad.rl.agent.Target", "whygrad.rl.agent.Noise",
            "whygrad.rl.agent.Spaces", "whygrad.rl.agent.setting", "whygrad.rl.off_policy.OffPolicy",
            "whygrad.rl.on_policy.OnPolicy", "whygrad.rl.offline.Offline", "whygrad.rl.restoring.restore",
            "whygrad.rl.restoring.Restored", "whygrad.rl.evaluation.play_episodes", "whygrad.rl.evaluation.Scores",
            "whygrad.rl.probing.probe", "whygrad.rl.collecting.collect", "whygrad.rl.dataset.read_dataset",
            "whygrad.rl.dataset.write_dataset", "whygrad.rl.worlds.world.World", "whygrad.rl.worlds.world.Outcome",
        ],
    ),
    "api/files.md": (
        "Files that whygrad writes and reads",
        "[Run folders](../runs.md), the record of a [watch](../watch.md), and [networks for other "
        "programs](../interchange.md).",
        [
            "whygrad.live.reading.Reading", "whygrad.live.run_folder.RunFolder", "whygrad.rl.checkpoint.read",
            "whygrad.rl.checkpoint.write", "whygrad.interchange.keras_graph.graph_of",
            "whygrad.interchange.keras_graph.model_of", "whygrad.interchange.tfjs_reading.read_tfjs",
            "whygrad.interchange.tfjs_writing.write_tfjs", "whygrad.interchange.onnx_writing.write_onnx",
        ],
    ),
}  # fmt: skip


def api_pages() -> dict[str, str]:
    """All of them, by their place in the site."""
    pages = {}
    for place, (title, about, names) in PAGES.items():
        parts = [f"# {title}", about, *[_entry(name) for name in names]]
        pages[place] = "\n\n".join(parts) + "\n"
    return pages


def _entry(name: str) -> str:
    module, _, attribute = name.rpartition(".")
    thing = getattr(importlib.import_module(module), attribute)
    if not inspect.getdoc(thing):
        raise ValueError(f"{name} has no docstring for its page")
    return _class(name, thing) if inspect.isclass(thing) else _function("function", name, thing)


def _function(kind: str, name: str, thing: Any) -> str:
    return f":::{{py:{kind}}} {name}{_signature(thing)}\n{_doc(thing)}\n:::"


def _class(name: str, thing: Any) -> str:
    inner = [_doc(thing)]
    is_agent = dataclasses.is_dataclass(thing) and any("help" in field.metadata for field in dataclasses.fields(thing))
    if is_agent and not inspect.isabstract(thing):  # its methods are those of every agent
        return f"::::{{py:class}} {name}\n{_doc(thing)}\n\n{settings_table(thing)}\n::::"
    for member, value in vars(thing).items():
        doc = inspect.getdoc(value)
        if member.startswith("_") or not doc:
            continue
        if isinstance(value, property):
            inner.append(f":::{{py:property}} {member}\n{doc}\n:::")
        elif isinstance(value, classmethod | staticmethod):
            inner.append(_function("method", member, value.__func__))
        elif inspect.isfunction(value):
            inner.append(_function("method", member, value))
    shown = "" if is_agent else _signature(thing)
    return f"::::{{py:class}} {name}{shown}\n" + "\n\n".join(inner) + "\n::::"


def _signature(thing: Any) -> str:
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    kept = [parameter for parameter in signature.parameters.values() if parameter.name not in ("self", "cls")]
    if inspect.isclass(thing):
        signature = signature.replace(return_annotation=inspect.Signature.empty)
    return str(signature.replace(parameters=kept)).replace("'", "").replace("\n", " ")


def _doc(thing: Any) -> str:
    doc = inspect.getdoc(thing) or ""
    generated = dataclasses.is_dataclass(thing) and doc.startswith(f"{thing.__name__}(")
    return "" if generated else doc
