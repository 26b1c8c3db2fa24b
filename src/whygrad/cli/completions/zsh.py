"""Completion for zsh, with what each word means beside it."""

from __future__ import annotations

import re

from whygrad.cli.completions.tree import Command, Option, Place
from whygrad.cli.completions.values import Value

_SCRIPT = """\
#compdef whygrad
# Completion of whygrad for zsh. In ~/.zshrc, after compinit: source <(whygrad completion zsh)
@HELPERS@_whygrad() {
    local curcontext="$curcontext" state line
    typeset -A opt_args
    _arguments -C \\
@ROOT@ \\
        '1:command:->command' \\
        '*::argument:->argument' && return
    case $state in
        command) local -a commands=(
@COMMANDS@
            )
            _describe -t commands command commands ;;
        argument) case $words[1] in
@CASES@
            esac ;;
    esac
}
if [[ $funcstack[1] == _whygrad ]]; then _whygrad "$@"; else compdef _whygrad whygrad; fi
"""


def script(root: Command) -> str:
    """The text for zsh to read."""
    listed = "\n".join(f"                {_entry(one)}" for one in root.inner)
    return (
        _SCRIPT.replace("@ROOT@", " \\\n".join(f"        {spec}" for one in root.options for spec in _option(one)))
        .replace("@COMMANDS@", listed)
        .replace("@HELPERS@", "".join(_first_word(one) for one in root.inner if one.inner))
        .replace("@CASES@", "\n".join(_case(one) for one in root.inner))
    )


def _case(command: Command) -> str:
    lines = [f"            {command.name})"]
    for inner in command.inner:
        lines += [
            f"                if [[ $CURRENT -gt 2 && $words[2] == {inner.name} ]]; then",
            "                shift words; (( CURRENT-- ))",
            f"                {_arguments(inner)}",
            "                return; fi",
        ]
    return "\n".join([*lines, f"                {_arguments(command)} ;;"])


def _first_word(command: Command) -> str:
    """A function for a word that is the name of an inner command, or what stands in the first place without one."""
    entries = " ".join(_entry(one) for one in command.inner)
    return f"""\
{_function(command)}() {{
    local -a commands=({entries})
    _describe -t commands command commands
    {_action(command.places[0].value)}
}}
"""


def _function(command: Command) -> str:
    return f"_whygrad_{command.name}_first"


def _arguments(command: Command) -> str:
    specs = [spec for option in command.options for spec in _option(option)]
    specs += [_place(number, place) for number, place in enumerate(command.places, 1)]
    if command.inner:
        specs[-1] = _quoted(f"1:{_escaped(command.places[0].value.called)}:{_function(command)}")
    only_before = " -A '-*'" if command.way == ("run",) else ""  # what follows the script is the script's
    return " \\\n                ".join([f"_arguments{only_before}", *specs])


def _option(option: Option) -> list[str]:
    about = f"[{_escaped(option.about)}]"
    specs = []
    for name in option.names:
        if option.value is None:
            specs.append(f"{name}{about}")
        else:
            often, joined = "*" if option.many else "", "=" if name.startswith("--") else ""
            specs.append(f"{often}{name}{joined}{about}:{_what(option.value)}")
    return [_quoted(spec) for spec in specs]


def _place(number: int, place: Place) -> str:
    return _quoted(f"{'*' if place.many else number}:{_what(place.value)}")


def _what(value: Value) -> str:
    return f"{_escaped(value.called)}:{_action(value)}"


def _action(value: Value) -> str:
    actions = {"file": "_files", "script": '_files -g "*.py"', "folder": "_files -/", "text": " "}
    return f"({' '.join(value.words)})" if value.kind == "words" else actions[value.kind]


def _entry(command: Command) -> str:
    return _quoted(f"{command.name}:{_escaped(command.about)}")


def _escaped(text: str) -> str:
    return re.sub(r"([\[\]:\\])", r"\\\1", " ".join(text.split()))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
