#!/bin/sh
# The main jobs: a program that does not learn, explained; the same program repaired; an agent that learns Snake.
# usage: demo.sh FOLDER_OF_THE_ENVIRONMENTS_PROGRAMS
set -u
bin=$(cd "$1" && pwd) || exit 1
cd "$(dirname "$0")" || exit 1
top=$(cd .. && pwd)
out="$top/runs/demo"
export TF_CPP_MIN_LOG_LEVEL=3
[ -t 1 ] && export FORCE_COLOR=1
mkdir -p "$out" || exit 1
status=$(mktemp) || exit 1
trap 'rm -f "$status"' EXIT

rule() { printf '\n─── %s ───\n\n' "$1"; }

# TensorFlow announces on every start that it found no GPU; that is no part of the show.
run() {
  { "$bin/whygrad" run "$@"; echo $? >"$status"; } 2>&1 | grep -v -e 'absl::InitializeLog' -e 'cudart_stub'
  return "$(cat "$status")"
}

rule "whygrad run snake_dqn_broken.py   (a Python port of the TensorFlow.js snake-dqn)"
run --html "$out/why.html" snake_dqn_broken.py
broken=$?
if [ "$broken" -ne 1 ]; then
  echo "demo: the broken program should have failed with status 1, and ended with $broken" >&2
  exit 1
fi

rule "whygrad run --fail-on warning snake_dqn_fixed.py   (one line moved)"
run --fail-on warning snake_dqn_fixed.py || exit $?

rule "whygrad train snake   (a board of 6 x 6, two minutes)"
rm -rf "$out"/ppo-*  # of an earlier demo
"$bin/whygrad" train snake --backend jax --steps 400_000 --minutes 2 --evaluate-episodes 100 --evaluate-every 200_000 \
  --env-set height=6 width=6 --root "$out" || exit $?
snake=$(ls -d "$out"/ppo-*) || exit 1

rule "whygrad evaluate and play"
"$bin/whygrad" evaluate "$snake" --backend jax || exit $?
[ -t 1 ] && "$bin/whygrad" play "$snake" --backend jax --terminal --speed 12 --max-steps 120
"$bin/whygrad" play "$snake" --backend jax --size 240 || exit $?

rule "next"
echo "  $out/why.html   the explanation above as a page"
echo "  $snake/play.gif   the snake at play"
echo "  .venv/bin/whygrad view runs/demo           its gradients layer by layer, and the policy beside its values"
echo "  .venv/bin/whygrad run YOUR_SCRIPT.py       explain your own program"
echo "  .venv/bin/whygrad explain W101             the manual page of the rule above"
