#!/usr/bin/env bash
# Sets up Splat Doctor and runs every check: lint, types, import contracts, tests. Extra arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh dev --display

step() { printf '\n== %s\n' "$*"; }
step "lint";             .venv/bin/ruff check .
step "types";            .venv/bin/mypy
step "import contracts"; .venv/bin/lint-imports --no-cache
step "tests"
# A real X server without a screen: Qt's own offscreen platform has no OpenGL. PyOpenGL must match Qt's GLX.
on_screen() {
  xvfb-run -a -s "-screen 0 1600x1000x24" \
    env QT_QPA_PLATFORM=xcb PYOPENGL_PLATFORM=glx .venv/bin/python -m pytest "$@"
}
if [ "$#" -gt 0 ]; then
  on_screen "$@"
  exit
fi

# The window first and alone, for its tests wait for things to happen. Then two processes, one for each core that a small
# machine has: the diagnosis and the lab draw nothing on a screen. Parts of the diagnosis run before the other tests, which
# would be over long before; the probes first, for they train runs of the lab that the lab must find whole.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
on_screen tests/app || failed=$?
apart=(tests/diagnostics/{probes,optimiser,report,book,measures,memory,practice,reference})
env QT_QPA_PLATFORM=offscreen .venv/bin/python -m pytest tests/diagnostics tests/lab tests/cases \
  "${apart[@]/#/--ignore=}" > "$log" 2>&1 &
diagnosis=$!
env QT_QPA_PLATFORM=offscreen .venv/bin/python -m pytest "${apart[@]}" || failed=$?
on_screen tests --ignore tests/app --ignore tests/diagnostics --ignore tests/lab --ignore tests/cases || failed=$?
wait "$diagnosis" || failed=$?
step "tests of the diagnosis and the lab"
cat "$log"
exit "$failed"
