#!/bin/sh
# The main job, twice: a program that does not learn, explained; and the same program repaired.
# usage: demo.sh FOLDER_OF_THE_ENVIRONMENTS_PROGRAMS
set -u
bin=$1
cd "$(dirname "$0")" || exit 1
export TF_CPP_MIN_LOG_LEVEL=3
rule() { printf '\n─── %s ───\n\n' "$1"; }

rule "whygrad run snake_dqn_broken.py   (a Python port of the TensorFlow.js snake-dqn)"
"$bin/whygrad" run snake_dqn_broken.py
broken=$?
if [ "$broken" -ne 1 ]; then
  echo "demo: the broken program should have failed with status 1, and ended with $broken" >&2
  exit 1
fi

rule "whygrad run --fail-on warning snake_dqn_fixed.py   (one line moved)"
"$bin/whygrad" run --fail-on warning snake_dqn_fixed.py || exit $?

rule "next"
echo "  .venv/bin/whygrad run YOUR_SCRIPT.py       explain your own program"
echo "  .venv/bin/whygrad explain W101             the manual page of the rule above"
