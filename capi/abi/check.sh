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
# Bit 4 of the exit code says that something changed, bit 8 that it is incompatible; 1 and 2 are errors of the tool.
code=0
abidiff --no-show-locs --no-added-syms --headers-dir2 "$headers" --drop-private-types "$baseline" "$library" || code=$?
if [ $((code & 11)) -ne 0 ]; then
  echo "the exported interface changed; if that is meant, run: $0 $library --update"
  exit 1
fi
