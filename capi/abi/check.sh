#!/bin/sh
# Compares the library's exported interface with the committed baseline: additions pass, anything else fails.
# Usage: capi/abi/check.sh LIBRARY [--update]. Exit 77: the tools are not installed.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
baseline=$folder/libmxnet.abi
library=$1
command -v abidiff > /dev/null && command -v abidw > /dev/null || { echo "abidiff is not installed"; exit 77; }
headers=$folder/../include
if [ "${2:-}" = "--update" ]; then
  abidw --no-show-locs --no-corpus-path --no-comp-dir-path --no-elf-needed --exported-interfaces-only \
    --headers-dir "$headers" --drop-private-types --out-file "$baseline" "$library"
  exit 0
fi
# Any exit code but 0 counts: abidiff calls a changed signature a change (4), not an incompatibility (8).
if ! abidiff --no-show-locs --no-added-syms --headers-dir2 "$headers" --drop-private-types "$baseline" "$library"; then
  echo "the exported interface changed; if that is meant, run: $0 $library --update"
  exit 1
fi
