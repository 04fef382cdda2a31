#!/bin/sh
# Recomputes every number of "An Arrow of Time for Caches". Needs python3 (3.9 or newer) and nothing else.
set -eu
python3 -m study
