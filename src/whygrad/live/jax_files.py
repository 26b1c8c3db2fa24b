"""Files that a program writes while it is watched are those that it writes alone, and it can read all of them.

Pickle and `flax.serialization` ask a state for its class and its fields, and get the program's own (`jax_hosts`).
Equinox and Orbax write every array of a pytree, so they are given states without ours.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable
from typing import Any

import jax

from whygrad.live.jax_hosts import Hosted
from whygrad.trace.patches import Patches

_HANDLER = "orbax.checkpoint._src.handlers.base_pytree_checkpoint_handler"


def without_ours(tree: Any) -> Any:
    """The tree as the program would have it alone."""
    return jax.tree_util.tree_map(lambda node: node.plain() if _is_host(node) else node, tree, is_leaf=_is_host)


def with_ours(like: Any, tree: Any) -> Any:
    """A tree that was read without ours, in the form of the one that was given for it: watching begins anew."""

    def chosen(node: Any, read: Any) -> Any:
        return type(node)(*read) if _is_host(node) else read

    try:
        return jax.tree_util.tree_map(chosen, like, tree, is_leaf=_is_host)
    except (TypeError, ValueError):  # only parts of it were read
        return tree


def attach_equinox(equinox: Any, patches: Patches) -> None:
    """`tree_serialise_leaves` and `tree_deserialise_leaves`."""

    def saving(original: Callable[..., Any]) -> Callable[..., Any]:
        def tree_serialise_leaves(path_or_file: Any, pytree: Any, *args: Any, **kwargs: Any) -> Any:
            return original(path_or_file, without_ours(pytree), *args, **kwargs)

        return tree_serialise_leaves

    def reading(original: Callable[..., Any]) -> Callable[..., Any]:
        def tree_deserialise_leaves(path_or_file: Any, like: Any, *args: Any, **kwargs: Any) -> Any:
            return with_ours(like, original(path_or_file, without_ours(like), *args, **kwargs))

        return tree_deserialise_leaves

    patches.replace(equinox, "tree_serialise_leaves", saving)
    patches.replace(equinox, "tree_deserialise_leaves", reading)


def attach_orbax(patches: Patches) -> None:
    """What all of its checkpointers of pytrees come to."""
    handler = importlib.import_module(_HANDLER).BasePyTreeCheckpointHandler

    def saving(original: Callable[..., Any]) -> Callable[..., Any]:
        def async_save(self: Any, directory: Any, args: Any) -> Any:
            return original(self, directory, _plain_fields(args))

        return async_save

    def reading(original: Callable[..., Any]) -> Callable[..., Any]:
        def restore(self: Any, directory: Any, args: Any = None) -> Any:
            if args is None or args.item is None:
                return original(self, directory, args)
            return with_ours(args.item, original(self, directory, _plain_fields(args)))

        return restore

    patches.replace(handler, "async_save", saving)
    patches.replace(handler, "restore", reading)


def _plain_fields(args: Any) -> Any:
    trees = {
        name: without_ours(getattr(args, name)) for name in ("item", "save_args", "restore_args") if _has(args, name)
    }
    return dataclasses.replace(args, **trees)


def _has(args: Any, name: str) -> bool:
    return getattr(args, name, None) is not None


def _is_host(node: Any) -> bool:
    return isinstance(node, Hosted)
