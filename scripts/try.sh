#!/usr/bin/env bash
# Sets up Splat Doctor and runs its main job on the embedded sample run.
# With a display it opens the window; without one it writes the report and a picture of the window to out/ and prints where.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh

run=resources/sample_run
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  exec .venv/bin/splatdoctor "$run"
fi
mkdir -p out
.venv/bin/splatdoctor diagnose "$run" --pdf out/sample-report.pdf --json out/sample-report.json || [ $? = 1 ]
.venv/bin/splatdoctor screenshot "$run" --diagnose --out out/sample-window.png
printf '\nNo display here, so nothing was opened. Written instead:\n'
printf '  report:              %s\n' "$PWD/out/sample-report.pdf"
printf '  diagnosis as JSON:   %s\n' "$PWD/out/sample-report.json"
printf '  picture of the window: %s\n' "$PWD/out/sample-window.png"
