#!/usr/bin/env bash
# Sets up Splat Doctor in .venv beside the code: system libraries where it may, Python packages always. Safe to run twice.
# Usage: scripts/setup.sh [EXTRA] [--display]   EXTRA is a pip extra such as "dev"; --display adds a virtual screen for the tests.
set -euo pipefail
cd "$(dirname "$0")/.."

extra=""
need_display=no
for word in "$@"; do
  case "$word" in
    --display) need_display=yes ;;
    *) extra="[$word]" ;;
  esac
done

say() { printf '%s\n' "$*" >&2; }

# --- system libraries: what Qt, OpenGL and numba load, by soname, with the Debian package that brings each
libraries=(
  libEGL.so.1=libegl1 libGL.so.1=libgl1 libglib-2.0.so.0=libglib2.0-0 libfontconfig.so.1=libfontconfig1
  libxkbcommon.so.0=libxkbcommon0 libdbus-1.so.3=libdbus-1-3
  libgomp.so.1=libgomp1  # without it numba's fallback threading aborts the process
)
screen_libraries=(
  libxcb-cursor.so.0=libxcb-cursor0 libxkbcommon-x11.so.0=libxkbcommon-x11-0 libxcb-icccm.so.4=libxcb-icccm4
  libxcb-keysyms.so.1=libxcb-keysyms1 libxcb-shape.so.0=libxcb-shape0 libxcb-image.so.0=libxcb-image0
  libxcb-render-util.so.0=libxcb-render-util0
)
if [ "$need_display" = yes ] || [ -n "${DISPLAY:-}" ]; then
  libraries+=("${screen_libraries[@]}")
fi

missing=()
known=$( (ldconfig -p || /sbin/ldconfig -p) 2>/dev/null || true)
for pair in "${libraries[@]}"; do
  case "$known" in
    *"${pair%%=*}"*) ;;
    *) missing+=("${pair#*=}") ;;
  esac
done
if [ "$need_display" = yes ]; then
  command -v xvfb-run >/dev/null || missing+=(xvfb)
  command -v xauth >/dev/null || missing+=(xauth)
fi

python=""
for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
  if command -v "$candidate" >/dev/null && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    python=$candidate
    break
  fi
done
[ -n "$python" ] || { say "Splat Doctor needs Python 3.11 or newer; on Debian or Ubuntu: apt-get install python3 python3-venv"; exit 2; }
"$python" -c 'import ensurepip, venv' 2>/dev/null || missing+=("$("$python" -c 'import sys; print("python3.%d-venv" % sys.version_info[1])')")

if [ "${#missing[@]}" -gt 0 ]; then
  command_line="apt-get install -y --no-install-recommends ${missing[*]}"
  as_root=()
  if [ "$(id -u)" != 0 ]; then
    as_root=(sudo -n)
  fi
  if command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }; then
    say "Installing system packages: ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" $command_line >&2
  else
    say "These system packages are missing, and this script may not install them. Please run:"
    say "    sudo apt-get update && sudo $command_line"
    say "then start this script again."
    exit 2
  fi
fi

# --- Python packages, in the project's own environment
if [ ! -x .venv/bin/python ] || ! .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  say "Creating .venv with $("$python" --version)"
  "$python" -m venv --clear .venv
fi
say "Installing Python packages (a few minutes the first time)"
# PYTHONWARNINGS: setuptools warns at length that an editable installation is editable.
PYTHONWARNINGS=ignore .venv/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".$extra" >&2
