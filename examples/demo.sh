#!/bin/sh
# The main job, twice: a program that does not learn, explained; and the same program repaired.
# usage: demo.sh FOLDER_OF_THE_ENVIRONMENTS_PROGRAMS
set -u
bin=$(cd "$1" && pwd) || exit 1
cd "$(dirname "$0")" || exit 1
export TF_CPP_MIN_LOG_LEVEL=3
[ -t 1 ] && export FORCE_COLOR=1
status=$(mktemp) || exit 1
trap 'rm -f "$status"' EXIT

rule() { printf '\n─── %s ───\n\n' "$1"; }

# TensorFlow announces on every start that it found no GPU; that is no part of the show.
run() {
  { "$bin/whygrad" run "$@"; echo $? >"$status"; } 2>&1 | grep -v -e 'absl::InitializeLog' -e 'cudart_stub'
  return "$(cat "$status")"
}

rule "whygrad run snake_dqn_broken.py   (a Python port of the TensorFlow.js snake-dqn)"
run snake_dqn_broken.py
broken=$?
if [ "$broken" -ne 1 ]; then
  echo "demo: the broken program should have failed with status 1, and ended with $broken" >&2
  exit 1
fi

rule "whygrad run --fail-on warning snake_dqn_fixed.py   (one line moved)"
run --fail-on warning snake_dqn_fixed.py || exit $?

rule "next"
echo "  .venv/bin/whygrad run YOUR_SCRIPT.py       explain your own program"
echo "  .venv/bin/whygrad explain W101             the manual page of the rule above"
