"""From an agent and an environment's spaces to networks that fit, the user's own among them."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import keras
import numpy as np

from whygrad.rl.agent import Agent, Spaces

Made = Any
"""A network, or a function that makes one from the spaces."""


def build(agent: Agent, spaces: Spaces, own: Mapping[str, Made] | None = None) -> dict[str, Any]:
    """All networks of an agent by name, target networks among them with the values of what they follow."""
    own = dict(own or {})
    nets = agent.networks(spaces)
    unknown = [name for name in own if name not in nets]
    if unknown:
        raise ValueError(f"{agent.NAME} has no network {unknown[0]!r}; its networks are {', '.join(nets)}")
    inputs = {name: _inputs(name, net, spaces) for name, net in nets.items()}
    shapes = {name: _try(name, nets[name], inputs[name]) for name in own}
    for name, made in own.items():
        nets[name] = made(spaces) if _is_function(made) else made
        if not hasattr(nets[name], "variables") and not hasattr(nets[name], "parameters"):
            raise ValueError(
                f"the network {name!r} is a {type(nets[name]).__name__}; a Keras model, on PyTorch a torch.nn.Module, "
                "or a function of the spaces that makes one is needed"
            )
        if not hasattr(nets[name], "variables") and keras.backend.backend() != "torch":
            raise ValueError(
                f"the network {name!r} is a torch.nn.Module and Keras runs on {keras.backend.backend()} here: set "
                "KERAS_BACKEND=torch, or give a Keras model"
            )
        given, wanted = _try(name, nets[name], inputs[name]), shapes[name]
        if given != wanted:
            raise ValueError(
                f"the network {name!r} gives {_shape(given)} for a batch of 2; {agent.NAME} needs {_shape(wanted)}"
            )
    again = agent.networks(spaces) if agent.targets(spaces) else {}
    for target in agent.targets(spaces):
        source, made = nets[target.of], own.get(target.of)
        if made is None:
            copied = again[target.of]
        else:
            copied = made(spaces) if _is_function(made) else _clone(target.of, source)
        nets[target.name] = _same_values(copied, source, inputs[target.of])
    return nets


def _same_values(network: Any, source: Any, inputs: Any) -> Any:
    """A network of the same build, with the values of another."""
    if not hasattr(source, "variables"):
        network.load_state_dict(source.state_dict())
        return network
    if not network.built:
        network(inputs)
    network.set_weights(source.get_weights())
    return network


def _clone(name: str, network: Any) -> Any:
    if not hasattr(network, "variables"):
        return copy.deepcopy(network)
    try:
        return keras.models.clone_model(network)
    except (ValueError, NotImplementedError, TypeError) as error:
        raise ValueError(
            f"the network {name!r} needs a target network of the same build, and a {type(network).__name__} cannot be "
            f"copied. Give a function that makes it: networks={{{name!r}: lambda spaces: {type(network).__name__}(…)}}"
        ) from error


def _is_function(made: Made) -> bool:
    return callable(made) and not hasattr(made, "variables") and not hasattr(made, "parameters")


def _inputs(name: str, network: Any, spaces: Spaces) -> Any:
    """What an agent calls its network with: observations, or observations and actions, two of each. Also builds it."""
    observation = keras.ops.convert_to_tensor(np.zeros((2, *spaces.observation), np.float32))
    action = keras.ops.convert_to_tensor(np.zeros((2, spaces.action_size), np.float32))
    guesses = [observation, [observation, action]]
    known = len(getattr(network, "inputs", None) or ())
    if known:
        return guesses[known - 1]
    error: Exception | None = None
    for guess in guesses:
        try:
            _try(name, network, guess)
            return guess
        except ValueError as refused:
            error = error or refused
    raise ValueError(str(error)) from error


def _try(name: str, network: Any, inputs: Any) -> tuple[int, ...]:
    """The shape of what a network gives; also builds it."""
    if not hasattr(network, "variables"):
        network.eval()  # a BatchNorm of PyTorch's shall not learn from zeros
    try:
        return tuple(keras.ops.convert_to_tensor(network(inputs)).shape)
    except Exception as error:
        what = [tuple(one.shape) for one in inputs] if isinstance(inputs, list) else tuple(inputs.shape)
        raise ValueError(f"the network {name!r} cannot be called with float32 of shape {what}: {error}") from error


def _shape(shape: tuple[int, ...]) -> str:
    return f"an array of shape {shape}"
