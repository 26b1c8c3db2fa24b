"""Completion for bash, from version 3.2 on: no other program and no package of completions is needed."""

from __future__ import annotations

import shlex

from whygrad.cli.completions.tree import Command, all_commands
from whygrad.cli.completions.values import Value

_SCRIPT = """\
# Completion of whygrad for bash. In ~/.bashrc: source <(whygrad completion bash)
_whygrad() {
    local cur="${COMP_WORDS[COMP_CWORD]}" at="" want="" many="" places=0 word i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        [[ $word == "=" ]] && continue  # --backend=jax is three words here
        if [[ -n $want && $word != -?* ]]; then
            [[ -n $many ]] || want=""
            continue
        fi
        want="" many=""
        [[ $at == run && $places -gt 0 ]] && break  # the script's own words
        case "$at $places $word" in
@STEPS@
            *" "-?*) ;;
            *) places=$((places + 1)) ;;
        esac
    done
    [[ $cur == "=" ]] && cur=""
    [[ -n $many && $cur == -* ]] && want=""
    if [[ -z $want && $cur == -* && ! ($at == run && $places -gt 0) ]]; then
        case "$at" in
@OPTIONS@
        esac
    elif [[ -z $want ]]; then
        case "$at $places" in
@PLACES@
        esac
    fi
    case "$want" in
        file) _whygrad_files -f ;;
        folder) _whygrad_files -d ;;
        script) _whygrad_files -d; _whygrad_files -f -X '!*.py' ;;
        text | "") ;;
        *) while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$want" -- "$cur") ;;
    esac
}
_whygrad_files() {
    local found
    compopt -o filenames 2>/dev/null
    while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen "$@" -- "$cur")
}
complete -F _whygrad whygrad
"""


def script(root: Command) -> str:
    """The text for bash to read."""
    commands = all_commands(root)
    steps = [_case(f"{_at(one)} 0 {inner.name}", f"at={_word(inner.way)}") for one in commands for inner in one.inner]
    for one in commands:
        for option in one.options:
            if option.value is not None:
                many = " many=1" if option.many else ""
                counts = f'{shlex.quote(_at(one))}" "*" "'
                names = " | ".join(f"{counts}{name}" for name in option.names)
                after = " places=1" if option.names == ("-m",) else ""  # a module stands for the script
                steps.append(f"            {names}) want={_want(option.value)}{many}{after} ;;")
    options = [_case(_at(one), f"want={_words(_names(one))}") for one in commands]
    return (
        _SCRIPT.replace("@STEPS@", "\n".join(steps))
        .replace("@OPTIONS@", "\n".join(options))
        .replace("@PLACES@", "\n".join(line for one in commands for line in _places(one)))
    )


def _places(command: Command) -> list[str]:
    lines, at = [], shlex.quote(_at(command))
    if command.inner:
        names = _words([inner.name for inner in command.inner])
        folders = "_whygrad_files -d; " if command.places else ""
        lines.append(f'            {at}" 0") {folders}want={names} ;;')
    for number, place in enumerate(command.places):
        if command.inner and number == 0:
            continue
        count = "*" if place.many else str(number)
        lines.append(f'            {at}" "{count}) want={_want(place.value)} ;;')
    return lines


def _at(command: Command) -> str:
    return " ".join(command.way)


def _word(way: tuple[str, ...]) -> str:
    return shlex.quote(" ".join(way))


def _case(pattern: str, body: str) -> str:
    return f"            {shlex.quote(pattern)}) {body} ;;"


def _names(command: Command) -> list[str]:
    return [name for option in command.options for name in option.names]


def _want(value: Value) -> str:
    return _words(value.words) if value.kind == "words" else value.kind


def _words(words: list[str] | tuple[str, ...]) -> str:
    return shlex.quote(" ".join(words))
