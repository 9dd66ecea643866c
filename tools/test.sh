# shellcheck shell=bash
# The steps of ./dev test, and of the sanitizer runs.

failed_steps=()
step_report=()

# step NAME COMMAND...: runs the command, remembers how it ended, goes on.
step() {
  local name=$1 start=$SECONDS status=ok code
  shift
  echo "=== $name"
  # A subshell with -e of its own: in a condition the outer -e would be off inside the function.
  set +e
  (set -euo pipefail; "$@")
  code=$?
  if [ $code != 0 ]; then status=FAILED; failed_steps+=("$name"); fi
  set -e
  step_report+=("$(printf '%-34s %-6s %4d s' "$name" "$status" $((SECONDS - start)))")
}

finish_steps() {
  echo "=== summary"
  printf '%s\n' "${step_report[@]}"
  if [ ${#failed_steps[@]} -gt 0 ]; then
    echo "FAILED steps: ${failed_steps[*]}"
    return 1
  fi
  echo "all ${#step_report[@]} steps passed in $SECONDS s"
}

existing() { local path; for path in "$@"; do if [ -e "$path" ]; then echo "$path"; fi; done; }

# Generated files are committed; running the generators again must change none of the files git knows or sees.
test_generated() {
  local before after
  before=$(tree_hashes)
  cmd_gen >/dev/null
  after=$(tree_hashes)
  if [ "$before" != "$after" ]; then
    echo "generated files are out of date; run ./dev gen and commit:"
    diff <(echo "$before") <(echo "$after") | sed -n 's/^[<>] [0-9a-f]*  */  /p' | sort -u
    return 1
  fi
  echo "generated files are up to date"
}
tree_hashes() { git ls-files -co --exclude-standard -z | xargs -0 sha256sum 2>/dev/null || true; }

test_native() { GTEST_COLOR=no "build/$1/bin/native_tests" --gtest_brief=1; }
test_capi() { ctest --test-dir "build/$1" --output-on-failure -j 2 -E '^(native_tests|capi_abi)$' --no-tests=error; }

pytest_run() {
  local python=$1
  shift
  OMP_NUM_THREADS="${OMP_NUM_THREADS:-2}" "$python" -m pytest -q -p no:cacheprovider --timeout=600 -n "${PYTEST_WORKERS:-2}" "$@"
}
# One run a folder: two folders may have files of the same name.
test_python() {
  local path failed=0
  for path in $(existing tests/python tests/parity tests/interop tests/perf); do
    pytest_run .venv/bin/python "$path" || failed=1
  done
  return $failed
}

test_clojure() { run_clj -m mxnet.test-runner; }
# Two commands, not one joined by "and": that would hide a failure inside cmd_lint from set -e.
test_lint() {
  cmd_lint
  echo "lint: clean"
}

# ---- the wheel on every Python ------------------------------------------------------------------------------------
# Built with the flags of the dev build and as deep in the tree, so that ccache still has most of its object files.
build_wheel() {
  local key
  key=$(git ls-files -co --exclude-standard -z native capi python cmake CMakeLists.txt pyproject.toml | xargs -0 sha256sum | sha256sum)
  stamped build/wheel/stamp "$key" && { ls build/wheel/*.whl; return; }
  rm -rf build/wheel
  .venv/bin/pip wheel -q . --no-deps -w build/wheel \
    --config-settings=build-dir=build/wheel-objects --config-settings=cmake.build-type=Dev \
    --config-settings=cmake.define.CMAKE_CXX_FLAGS_DEV="-O2 -g1" --config-settings=cmake.define.CMAKE_C_FLAGS_DEV="-O2 -g1"
  stamp build/wheel/stamp "$key"
  ls build/wheel/*.whl
}

# test_wheel PYTHON NUMPY: the wheel in an environment of its own.
test_wheel() {
  local python=$1 numpy=$2 version folder wheel
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  wheel=$(ls build/wheel/*.whl)
  folder=build/wheel-tests/$version-${numpy//[^0-9a-z.]/}
  if [ ! -x "$folder/bin/pytest" ]; then
    make_venv "$python" "$folder"
    # shellcheck disable=SC2046  # one word a requirement
    "$folder/bin/pip" install -q "$numpy" $(grep -E '^(pytest|hypothesis|cffi|PyYAML)' tools/requirements.txt)
  fi
  "$folder/bin/pip" install -q --force-reinstall --no-deps "$wheel"
  "$folder/bin/python" -c 'import numpy, sys, mxnet as mx
print("Python %d.%d, NumPy %s, mxnet %s from the wheel" % (*sys.version_info[:2], numpy.__version__, mx.__version__))
assert "site-packages" in mx.__file__'
  pytest_run "$folder/bin/python" tests/python
}

test_all_pythons() {
  local python version all
  build_wheel
  mapfile -t all < <(pythons)
  for python in "${all[@]}"; do
    version=$("$python" -c 'import sys; print(sys.version_info[1])')
    # NumPy 1.26 has wheels up to Python 3.12.
    if [ "$version" -le 12 ]; then test_wheel "$python" "numpy==1.26.*"; fi
    if [ "$version" -ge 13 ] || [ "$python" = "${all[0]}" ]; then test_wheel "$python" numpy; fi
  done
}

# ---- without oneDNN -----------------------------------------------------------------------------------------------
test_reference_build() {
  build_preset reference
  test_native reference
  PYTHONPATH="$ROOT/build/reference/python" pytest_run .venv/bin/python tests/parity
}

# ---- ABI ----------------------------------------------------------------------------------------------------------
test_abi() {
  nm -D --defined-only build/dev/lib/libmxnet.so | awk '{print $3}' | sed 's/@.*//' | grep -vE '^(MX|NN|LIBMXNET)' &&
    { echo "libmxnet.so exports symbols beside MX* and NN*"; return 1; }
  need_command abidiff abigail-tools
  capi/abi/check.sh build/dev/lib/libmxnet.so
  echo "the binary interface agrees with the baseline"
}

# ---- sanitizers ---------------------------------------------------------------------------------------------------
# sanitized PRESET COMMAND...: with the sanitizer's run-time library loaded first, as a plain Python needs it.
sanitized() {
  local preset=$1 library
  shift
  if [ "$preset" = asan ]; then library=libasan.so; else library=libtsan.so; fi
  LD_PRELOAD="$("${CC:-gcc}" -print-file-name=$library) $("${CC:-gcc}" -print-file-name=libstdc++.so.6)" \
    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=8192 \
    UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
    TSAN_OPTIONS="suppressions=$ROOT/tests/tsan.supp:halt_on_error=1:report_signal_unsafe=0" \
    PYTHONPATH="$ROOT/build/$preset/python" OMP_NUM_THREADS=1 "$@"
}
sanitized_pytest() { PYTHONMALLOC=malloc sanitized "$1" .venv/bin/python -m pytest -q -p no:cacheprovider -p no:xdist --timeout=1800 "${@:2}"; }

sanitized_tests() {
  local preset=$1
  shift
  step "native ($preset)" sanitized "$preset" "build/$preset/bin/native_tests" --gtest_brief=1
  step "C ($preset)" sanitized "$preset" ctest --test-dir "build/$preset" --output-on-failure -E '^(native_tests|capi_abi)$'
  step "Python ($preset)" sanitized_pytest "$preset" "${@:-tests/python}"
  finish_steps
}

test_asan_subset() {
  build_preset asan
  sanitized asan build/asan/bin/native_tests --gtest_brief=1
  sanitized asan ctest --test-dir build/asan --output-on-failure -E '^(native_tests|capi_abi)$'
}

cmd_test() {
  local quick=
  if [ "${1:-}" = --quick ]; then quick=1; fi
  step "build" cmd_build dev
  if [ ${#failed_steps[@]} -gt 0 ]; then finish_steps; return 1; fi
  need_venv
  need_jvm
  step "generated files" test_generated
  step "lint" test_lint
  step "native" test_native dev
  step "C interface" test_capi dev
  step "binary interface" test_abi
  step "Python, parity, interop" test_python
  step "Clojure" test_clojure
  if [ -z "$quick" ]; then
    step "wheel on every Python" test_all_pythons
    step "without oneDNN" test_reference_build
    # A second build from nothing takes minutes: without a compiler cache it would not fit into 25.
    if [ $SECONDS -lt 900 ]; then
      step "native and C under ASan+UBSan" test_asan_subset
    else
      echo "ASan+UBSan left out after $SECONDS s; ./dev asan runs it"
    fi
  fi
  finish_steps
}
