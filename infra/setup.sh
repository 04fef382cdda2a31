#!/usr/bin/env bash
# Prepares a fresh Debian or Ubuntu: system packages, .venv with the pinned lock, Reprise itself (editable).
#   infra/setup.sh          what `make setup` needs
#   infra/setup.sh test     also what `make test` needs
# Quick when nothing changed. Without root or passwordless sudo it prints the apt line instead of running it.
set -euo pipefail
cd "$(dirname "$0")/.."

RUNTIME_PACKAGES=(python3-venv bubblewrap libpango-1.0-0 libpangoft2-1.0-0 fonts-noto-core fonts-noto-cjk)
TEST_PACKAGES=(curl fonts-dejavu-core poppler-utils postgresql)

main() {
  local packages=("${RUNTIME_PACKAGES[@]}") locks=(requirements.lock)
  if [ "${1:-}" = test ]; then
    packages+=("${TEST_PACKAGES[@]}")
    locks+=(requirements-test.lock)
  fi
  install_system_packages "${packages[@]}"
  install_python_packages "${locks[@]}"
}

install_system_packages() {
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || return 0
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    if ! sudo -n true 2>/dev/null; then
      echo "Needs root, please run:  sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
      return 0
    fi
    as_root=(sudo -n)
  fi
  echo "Installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Skipped when the stamp says that these locks and this pyproject.toml are installed already.
install_python_packages() {
  local stamp=".venv/.installed-$*" wanted requirements=() lock
  stamp=${stamp// /-}
  wanted=$(cat "$@" pyproject.toml infra/setup.sh | sha256sum)
  if [ -x .venv/bin/reprise ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then return 0; fi
  .venv/bin/python -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || make_venv
  for lock in "$@"; do requirements+=(-r "$lock"); done
  echo "Installing $* into .venv"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps "${requirements[@]}"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
  echo "$wanted" >"$stamp"
}

make_venv() {
  local python
  for python in "${PYTHON:-python3}" python3.13 python3.12 python3.11 python3.14 /usr/bin/python3; do
    if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
      rm -rf .venv
      "$python" -m venv .venv
      return 0
    fi
  done
  echo "Reprise needs Python 3.11 or newer with the venv module (Debian, Ubuntu: apt-get install python3-venv)." >&2
  echo "None was found; name one with  make setup PYTHON=/path/to/python3" >&2
  exit 1
}

main "$@"
