"""The commands and their options as plain data, read off what argparse was told."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace

from whygrad.cli.completions.values import Value, value


@dataclass(frozen=True, slots=True)
class Option:
    """An option. `many` takes all words up to the next option."""

    names: tuple[str, ...]
    about: str
    value: Value | None = None
    many: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A word that is no option; `many` is any number of them."""

    value: Value
    many: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A command with what it takes; `way` is how it is called after `whygrad`."""

    way: tuple[str, ...]
    about: str
    options: tuple[Option, ...] = ()
    places: tuple[Place, ...] = ()
    inner: tuple[Command, ...] = ()

    @property
    def name(self) -> str:
        """The last word of the way."""
        return self.way[-1]


def tree(parser: argparse.ArgumentParser) -> Command:
    """Everything that `whygrad` takes."""
    return _command(parser, (), "")


def all_commands(command: Command) -> list[Command]:
    """A command and those inside of it."""
    return [command, *(one for inner in command.inner for one in all_commands(inner))]


def _command(parser: argparse.ArgumentParser, way: tuple[str, ...], about: str) -> Command:
    options: list[Option] = []
    places: list[Place] = []
    inner: list[Command] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            abouts = {choice.dest: choice.help for choice in action._get_subactions()}
            inner += [
                _command(found, (*way, name), abouts.get(name) or _first_sentence(found))
                for name, found in action.choices.items()
            ]
        elif action.option_strings:
            names = tuple(action.option_strings)
            taken = None if action.nargs == 0 else _value(action, (*way, names[-1]))
            options.append(Option(names, action.help or "", taken, action.nargs == "+"))
        else:
            places.append(Place(_value(action, way), action.nargs in ("+", "*")))
    return _completed(Command(way, about, tuple(options), tuple(places), tuple(inner)))


def _completed(command: Command) -> Command:
    """With what two commands see to themselves before argparse is asked."""
    if command.way == ("run",):
        module = Option(("-m",), "run a module, as python -m does", value("MODULE", ""))
        return replace(command, options=(*command.options, module), places=_SCRIPT)
    if command.way == ("runs",):  # the word `list` may be left out, and always is
        listing = next(one for one in command.inner if one.name == "list")
        others = tuple(one for one in command.inner if one is not listing)
        return replace(command, options=listing.options, places=listing.places, inner=others)
    return command


_SCRIPT = (Place(Value("SCRIPT", "script")), Place(Value("ARGS", "file"), many=True))


def _value(action: argparse.Action, way: tuple[str, ...]) -> Value:
    called = str(action.metavar or action.dest.upper())
    if action.choices is not None:
        return Value(called, "words", tuple(map(str, action.choices)))
    where = " ".join(way if action.option_strings else (*way, called))
    return value(called, where)


def _first_sentence(parser: argparse.ArgumentParser) -> str:
    return " ".join((parser.description or "").split()).partition(". ")[0].removesuffix(".")
