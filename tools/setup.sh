# shellcheck shell=bash
# What ./dev needs to prepare a machine: system packages, .deps (native libraries and jars), .venv, builds.
# Each step leaves a stamp with a hash of its inputs, so that a second run costs next to nothing.

: "${ROOT:?set by dev}"
export CCACHE_BASEDIR="$ROOT" CCACHE_NOHASHDIR=1
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore

# What writes committed files from ops.json.
# shellcheck disable=SC2034  # read by dev
REGISTRY_GENERATORS=(python/gen/generate.py clojure/gen/generate.py)

say() { echo "dev: $*" >&2; }
die() { say "$*"; exit 1; }

# stamped FILE KEY: whether FILE holds KEY. stamp FILE KEY writes it.
stamped() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }
stamp() { mkdir -p "$(dirname "$1")" && echo "$2" >"$1"; }
hash_of() { cat "$@" | sha256sum | cut -c1-16; }

# ---- system packages ----------------------------------------------------------------------------------------------
apt_updated=
install_packages() {
  local sudo=
  command -v apt-get >/dev/null || die "please install: $*"
  if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || die "please run: sudo apt-get install $*"
    sudo=sudo
  fi
  say "installing $*"
  if [ -z "$apt_updated" ]; then
    $sudo apt-get update -qq >/dev/null || die "apt-get update failed; please install: $*"
    apt_updated=1
  fi
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null ||
    die "apt-get could not install: $*"
}
need_command() { command -v "$1" >/dev/null || install_packages "${@:2}"; }
may_install() { command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }; }

need_build_tools() {
  local missing=()
  { command -v c++ && command -v cc; } >/dev/null || missing+=(g++)
  command -v cmake >/dev/null || missing+=(cmake)
  command -v ninja >/dev/null || missing+=(ninja-build)
  # Worth having, but no reason to stop.
  if may_install; then
    command -v ccache >/dev/null || missing+=(ccache)
    [ -e /usr/include/gtest/gtest.h ] || missing+=(libgtest-dev)
  fi
  if [ ${#missing[@]} -gt 0 ]; then install_packages "${missing[@]}"; fi
}

# ---- Python -------------------------------------------------------------------------------------------------------
# The Pythons from 3.10 up that this machine has, one path a line, the default one first.
pythons() {
  local candidate seen=" " version
  for candidate in ${PYTHON:-} python3 python3.{13,12,11,10,14} "$HOME"/.pyenv/versions/3.*/bin/python /opt/python/cp3*/bin/python; do
    candidate=$(command -v "$candidate" 2>/dev/null) || continue
    version=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2] if sys.version_info >= (3, 10) else "")' 2>/dev/null) || continue
    case $seen in *" $version "*) continue ;; esac
    [ -n "$version" ] || continue
    seen="$seen$version "
    echo "$candidate"
  done
}

# make_venv PYTHON FOLDER
make_venv() {
  local python=$1 version
  if ! "$python" -c 'import ensurepip' 2>/dev/null; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    install_packages "python$version-venv"
  fi
  if ! "$python" -c 'import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'; then
    install_packages python3-dev
  fi
  "$python" -m venv --clear "$2"
}

need_venv_base() {
  local python
  [ -x .venv/bin/python ] && .venv/bin/python -c '' 2>/dev/null && return
  python=$(pythons | sed -n 1p)
  [ -n "$python" ] || { install_packages python3; python=$(pythons | sed -n 1p); }
  [ -n "$python" ] || die "please install Python 3.10 or newer"
  say "creating .venv with $("$python" --version)"
  make_venv "$python" .venv
}

need_venv() {
  local key site
  need_venv_base
  key=$(hash_of tools/requirements.txt)
  if ! stamped .venv/remxnet-stamp "$key"; then
    say "installing Python packages into .venv"
    .venv/bin/pip install -q -r tools/requirements.txt
    # The package as the build lays it out: links to python/mxnet beside the libraries just built.
    site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    echo "$ROOT/build/dev/python" >"$site/remxnet-dev.pth"
    stamp .venv/remxnet-stamp "$key"
  fi
}

# ---- native libraries and builds ----------------------------------------------------------------------------------
# oneDNN and OpenBLAS are taken from Python wheels into .deps/native.
need_native_deps() {
  local key
  key=$(hash_of tools/native-requirements.txt)
  stamped .deps/native/stamp "$key" && return
  need_venv_base
  say "fetching oneDNN and OpenBLAS into .deps/native"
  rm -rf .deps/native
  .venv/bin/pip install -q --no-deps --ignore-installed --prefix .deps/native -r tools/native-requirements.txt
  # The wheel carries the same file three times.
  rm -f .deps/native/lib/libdnnl.so .deps/native/lib/libdnnl.so.3.2
  stamp .deps/native/stamp "$key"
}

build_preset() {
  local preset=$1
  if [ ! -f "build/$preset/build.ninja" ]; then
    cmake --preset "$preset" -DPython_EXECUTABLE="$ROOT/.venv/bin/python" >"build-$preset.log" 2>&1 ||
      { cat "build-$preset.log" >&2; rm -f "build-$preset.log"; die "configuring $preset failed"; }
    mkdir -p "build/$preset" && mv "build-$preset.log" "build/$preset/configure.log"
  fi
  cmake --build "build/$preset" -j "${JOBS:-$(nproc)}"
}

# For py and clj, which should start at once: build only what was never built.
ensure_built() { [ -e build/dev/lib/libmxnet.so ] || cmd_build dev >&2; }

# ---- JVM ----------------------------------------------------------------------------------------------------------
# Jar in /usr/share/java and the package it comes from.
DEBIAN_JARS=(clojure:clojure spec.alpha:libspec-alpha-clojure core.specs.alpha:libcore-specs-alpha-clojure
  jna:libjna-java test.check:libtest-check-clojure)
install_missing_jars() {
  local jar missing=()
  for jar in "${DEBIAN_JARS[@]}"; do
    [ -e "/usr/share/java/${jar%%:*}.jar" ] || missing+=("${jar##*:}")
  done
  if [ ${#missing[@]} -gt 0 ]; then install_packages "${missing[@]}"; fi
}

need_java() { need_command javac default-jdk-headless; }

# Jars go to .deps/jars: those of tools/jvm/pom.xml where Maven can fetch them, Debian's packages elsewhere.
need_jvm() {
  local key jar
  need_java
  key=$(hash_of tools/jvm/pom.xml tools/jvm/jars.sha256)
  if ! stamped .deps/jars/stamp "$key"; then
    rm -rf .deps/jars
    mkdir -p .deps/jars
    if command -v mvn >/dev/null && timeout 300 mvn -q -B -f tools/jvm/pom.xml dependency:copy-dependencies \
      -DoutputDirectory="$ROOT/.deps/jars" >.deps/maven.log 2>&1; then
      (cd .deps/jars && sha256sum --quiet -c "$ROOT/tools/jvm/jars.sha256") || die "a jar differs from its checksum"
    else
      rm -f .deps/jars/*
      install_missing_jars
      for jar in "${DEBIAN_JARS[@]}"; do
        ln -s "/usr/share/java/${jar%%:*}.jar" .deps/jars/
      done
    fi
    stamp .deps/jars/stamp "$key"
  fi
  need_java_classes
}

# Compiles the Java sources of the Clojure library.
need_java_classes() {
  local key sources
  mapfile -t sources < <(find clojure/java -name '*.java' 2>/dev/null)
  [ ${#sources[@]} -gt 0 ] || return 0
  key=$(hash_of "${sources[@]}")
  stamped build/java/stamp "$key" && return
  rm -rf build/java
  mkdir -p build/java
  javac -nowarn -cp "$(jars)" -d build/java "${sources[@]}"
  stamp build/java/stamp "$key"
}

jars() { find "$ROOT/.deps/jars" -name '*.jar' -printf '%p:' 2>/dev/null; }
class_path() { echo "$ROOT/clojure/src:$ROOT/clojure/resources:$ROOT/clojure/test:$ROOT/build/java:$(jars)"; }

run_clj() {
  # shellcheck disable=SC2086  # JAVA_OPTS holds several words
  MXNET_LIBRARY_PATH="${MXNET_LIBRARY_PATH:-$ROOT/build/dev/lib/libmxnet.so}" \
    java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 ${JAVA_OPTS:-} -cp "$(class_path)" clojure.main "$@"
}
