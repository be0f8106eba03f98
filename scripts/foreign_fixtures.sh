#!/usr/bin/env bash
# Writes tests/runs/foreign again: one seeded set of splats in every exchange format, each by a tool that is not ours.
# Needs node 20, npm, and a Python with gsplat 1.5.3, gsply 0.4.6, imageio, scipy and plyfile: PYTHON=… scripts/foreign_fixtures.sh
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python}
out=$PWD/tests/runs/foreign
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT

(cd "$tools" && npm init -y > /dev/null && npm install --silent --ignore-scripts \
    @playcanvas/splat-transform@2.7.1 spz-js@1.2.5 @mkkellogg/gaussian-splats-3d@0.4.7 three@0.160.0)
cp scripts/foreign_fixtures.mjs "$tools"
transform() { node "$tools/node_modules/@playcanvas/splat-transform/bin/cli.mjs" --quiet --overwrite --gpu cpu "$@"; }

PYTHONPATH=. "$python" scripts/foreign_fixtures.py source "$out"
for degree in 0 1 2 3; do
    ply=$tools/sh$degree.ply
    transform "$out/source.ply" --filter-harmonics $degree "$ply"
    transform "$ply" "$out/transform_sh$degree.compressed.ply"
    transform "$ply" --spz-version 3 "$out/transform_v3_sh$degree.spz"
    transform "$ply" --spz-version 4 "$out/transform_v4_sh$degree.spz"
    if [ $degree -lt 3 ]; then transform "$ply" "$out/transform_sh$degree.sog"; fi
done
transform "$tools/sh0.ply" "$out/transform_sh0.glb"
transform "$tools/sh3.ply" "$out/transform_sh3.glb"
transform "$out/source_sh4.ply" --spz-version 4 "$out/transform_v4_sh4.spz"
mkdir -p "$out/transform_sog" && transform "$tools/sh3.ply" "$out/transform_sog/meta.json"
(cd "$tools" && node foreign_fixtures.mjs "$tools" "$out")
PYTHONPATH=. "$python" scripts/foreign_fixtures.py peers "$out"
# No tool at hand writes version 1 of SOG; splat-transform reads it, and is the witness.
transform "$out/sog_v1/meta.json" "$out/sog_v1_as_transform_reads_it.ply"
transform "$out/transform_sog/meta.json" "$out/transform_sog_as_transform_reads_it.ply"
