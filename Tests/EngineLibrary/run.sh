#!/bin/sh
# The C library gives a C program, and a program on a JVM through JNI, the answers of the conformance vectors.
# Packages: python3
# Packages without --short: default-jdk-headless
#
# run.sh [--short]: it also refuses wrong input. --short leaves out the JVM.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

debug_build fingerpost FingerpostEngine
scratch_folder

"$fingerpost" conformance export --out "$scratch/vectors.json"
python3 "Tests/EngineLibrary/vectors.py" split "$scratch/vectors.json" "$scratch/groups"

# run NAME COMMAND…: gives each group of vectors to a program, which appends its answers to NAME.out.
run() {
    name=$1
    shift
    for tenant in "$scratch"/groups/*.json; do
        LD_LIBRARY_PATH="$binaries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" timeout 120 "$@" "$tenant" \
            "${tenant%.json}.requests" >"${tenant%.json}.$name" || fail "$name failed with $(basename "$tenant")"
    done
    python3 "Tests/EngineLibrary/vectors.py" compare "$scratch/vectors.json" "$scratch/groups" "$name"
}

compiler=''
for candidate in cc clang gcc; do
    [ -n "$compiler" ] || ! command -v "$candidate" >/dev/null || compiler=$candidate
done
[ -n "$compiler" ] || skip 'a C compiler is missing; install gcc or clang.'
"$compiler" -std=c11 -Wall -Wextra -Werror -I "Sources/Engine/FingerpostEngine" "Tests/EngineLibrary/engine.c" \
    -L "$binaries" -lFingerpostEngine -lpthread -Wl,-rpath,"$binaries" -Wl,--allow-shlib-undefined -o "$scratch/engine"
run c "$scratch/engine"

case ${1:-} in --short) exit 0 ;; esac
if ! command -v javac >/dev/null || ! command -v java >/dev/null; then
    skip 'the JNI example needs a JDK; install default-jdk-headless.'
fi
java_home=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p')
[ -e "$java_home/include/jni.h" ] || skip 'the JNI example needs the header jni.h; install default-jdk-headless.'
"$compiler" -std=c11 -Wall -Wextra -Werror -shared -fPIC -I "Sources/Engine/FingerpostEngine" -I "$java_home/include" \
    -I "$java_home/include/linux" "config/examples/jni/fingerpost_jni.c" -L "$binaries" -lFingerpostEngine \
    -Wl,-rpath,"$binaries" -Wl,--allow-shlib-undefined -o "$scratch/libfingerpost_jni.so"
javac -Xlint:all -Werror -d "$scratch/classes" "config/examples/jni/FingerpostEngine.java" \
    "Tests/EngineLibrary/Main.java"
run java java --enable-native-access=ALL-UNNAMED -Xcheck:jni "-Djava.library.path=$scratch" -cp "$scratch/classes" Main
