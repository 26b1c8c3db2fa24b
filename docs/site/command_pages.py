"""The page of the command line, from the parsers themselves, and that of the agents' settings, from their fields."""

from __future__ import annotations

import argparse

from rule_pages import escaped

from whygrad.cli import agent_settings, algorithms
from whygrad.cli.main import whole_parser
from whygrad.rl.agent import Agent, setting_help
from whygrad.rl.catalogue import AGENTS
from whygrad.trainings.presets import preset_envs, preset_steps
from whygrad.trainings.recipes import find_recipe, recipe_names


def command_page() -> str:
    """Every command with its usage and options."""
    parser = whole_parser()
    parts = [
        "# The command line",
        "This page is made from the parsers of the commands. `whygrad COMMAND --help` prints the same.",
        _block(f"{parser.format_usage()}\n{parser.epilog or ''}"),
    ]
    for name, command, about in _commands(parser):
        parts += _command(f"whygrad {name}", command, about, "##")
    return "\n\n".join(parts) + "\n"


def settings_page() -> str:
    """Every agent's settings, presets, and the recipes."""
    parts = [
        "# Settings of the agents",
        "Fields of the dataclasses in `whygrad.rl`, and what `whygrad train --set FIELD=VALUE` takes. This page is "
        "made from them.",
    ]
    for kind in AGENTS:
        name = kind.NAME
        presets = [f"{env} ({preset_steps(name, env):,} steps)" for env in preset_envs(name)]
        parts.append(f"## {kind.__name__}")
        parts.append(escaped(algorithms.first_line(name)))
        parts.append(settings_table(kind))
        parts.append(f"Presets: {', '.join(presets) or 'none'}.")
    parts.append("## Recipes")
    recipes = [(name, find_recipe(name)) for name in recipe_names()]
    parts.append("\n".join(f"- `whygrad train {name}`: {escaped(recipe.about)}" for name, recipe in recipes if recipe))
    return "\n\n".join(parts) + "\n"


def settings_table(kind: type[Agent]) -> str:
    """One agent's settings with their defaults."""
    found = [(name, agent_settings.shown(value), escaped(text)) for name, value, text in setting_help(kind)]
    rows = [f"| `{name}` | `{value}` | {text} |" for name, value, text in found]
    return "\n".join(["| setting | default | |", "|---|---|---|", *rows])


def _commands(parser: argparse.ArgumentParser) -> list[tuple[str, argparse.ArgumentParser, str]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            about = {choice.dest: choice.help or "" for choice in action._choices_actions}
            return [(name, command, about.get(name, "")) for name, command in action.choices.items()]
    return []


def _command(name: str, parser: argparse.ArgumentParser, about: str, level: str) -> list[str]:
    parts = [f"{level} {name}", escaped(_sentence(parser.description or about))]
    parts.append(_block(parser.format_usage().removeprefix("usage: ")))
    rows = [_row(action) for action in parser._actions if not _is_hidden(action)]
    if rows:
        parts.append("\n".join(["| option | |", "|---|---|", *rows]))
    if parser.epilog:
        parts.append(_block(parser.epilog))
    for inner, command, said in _commands(parser):
        parts += _command(f"{name} {inner}", command, said, level + "#")
    return parts


def _is_hidden(action: argparse.Action) -> bool:
    return action.help == argparse.SUPPRESS or isinstance(action, argparse._HelpAction | argparse._SubParsersAction)


def _row(action: argparse.Action) -> str:
    metavar = action.metavar if isinstance(action.metavar, str) else None
    word = metavar or ("{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest.upper())
    if action.nargs == 0:
        word = ""
    elif action.nargs in ("+", "*"):
        word += " …"
    name = ", ".join(f"{option} {word}".strip() for option in action.option_strings) or word
    text = (action.help or "") % {**vars(action), "prog": "whygrad"}
    return f"| `{name}` | {escaped(text)} |"


def _sentence(text: str) -> str:
    return " ".join(text.split())


def _block(text: str) -> str:
    return f"```text\n{text.strip()}\n```"
