"""Completion for fish, with what each word means beside it."""

from __future__ import annotations

from whygrad.cli.completions.tree import Command, Option, all_commands
from whygrad.cli.completions.values import Value

_HEAD = """\
# Completion of whygrad for fish: whygrad completion fish > ~/.config/fish/completions/whygrad.fish
function __whygrad_at --description 'whether these are the first words after whygrad'
    set -l words (commandline -opc)
    set -e words[1]
    set -l many (count $argv)
    test $many -eq 0; or begin
        test (count $words) -ge $many; and test "$words[1..$many]" = "$argv"
    end
end
function __whygrad_next --description 'whether they are all of the words so far'
    test (count (commandline -opc)) -eq (math (count $argv) + 1); and __whygrad_at $argv
end
complete -c whygrad -f
"""


def script(root: Command) -> str:
    """The text for fish to read."""
    return _HEAD + "\n".join(line for one in all_commands(root) for line in _lines(one)) + "\n"


def _lines(command: Command) -> list[str]:
    way = " ".join(command.way)
    here = f"__whygrad_at {way}" if way else "__whygrad_next"
    for inner in command.inner if way else ():
        here += f"; and not __whygrad_at {' '.join(inner.way)}"
    after = f"complete -c whygrad -n {_quoted(f'__whygrad_next {way}'.strip())}"
    where = f"complete -c whygrad -n {_quoted(here)}"
    lines = [f"{after} -a {one.name} -d {_quoted(one.about)}" for one in command.inner]
    lines += [f"{where} {_option(option)}" for option in command.options]
    return lines + [f"{where} {_offer(place.value)}" for place in command.places if _offer(place.value)]


def _option(option: Option) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    needs = "" if option.value is None else f" -r {_offer(option.value)}" if _offer(option.value) else " -x"
    return f"{names}{needs} -d {_quoted(' '.join(option.about.split()))}"


def _offer(value: Value) -> str:
    if value.kind == "words":
        return f"-f -a {_quoted(' '.join(value.words))}"
    offers = {
        "file": "-F",
        "script": "-f -a '(__fish_complete_suffix .py)'",
        "folder": "-f -a '(__fish_complete_directories (commandline -ct))'",
    }
    return offers.get(value.kind, "")


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
