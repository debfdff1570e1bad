#!/bin/sh
# check.sh FINGERPOST LIBRARIES: the C library gives the answers of the conformance vectors, to a C program and through JNI
# to a program on a JVM, and refuses wrong input. LIBRARIES is the folder with libFingerpostEngine.so. Without a compiler
# of C or a JDK, the part that needs it is skipped, and the exit code is 3.
# Example: Tests/EngineLibrary/check.sh .build/debug/fingerpost .build/debug
set -eu

fingerpost=$1
libraries=$(CDPATH='' cd -- "$2" && pwd)
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/fingerpost-engine.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
status=0

fail() { printf 'check.sh: %s\n' "$*" >&2; exit 1; }

"$fingerpost" conformance export --out "$scratch/vectors.json"
python3 "$root/Tests/EngineLibrary/vectors.py" split "$scratch/vectors.json" "$scratch/groups"

# run NAME COMMAND…: gives each group of vectors to a program, which appends its answers to NAME.out.
run() {
    name=$1
    shift
    for tenant in "$scratch"/groups/*.json; do
        LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" timeout 120 "$@" "$tenant" \
            "${tenant%.json}.requests" >"${tenant%.json}.$name" || fail "$name failed with $(basename "$tenant")"
    done
    python3 "$root/Tests/EngineLibrary/vectors.py" compare "$scratch/vectors.json" "$scratch/groups" "$name"
}

compiler=''
for candidate in cc clang gcc; do
    [ -n "$compiler" ] || ! command -v "$candidate" >/dev/null || compiler=$candidate
done
if [ -z "$compiler" ]; then
    echo 'SKIPPED: a C compiler is missing; install gcc or clang.'
    exit 3
fi
"$compiler" -std=c11 -Wall -Wextra -Werror -I "$root/Sources/Engine/FingerpostEngine" "$root/Tests/EngineLibrary/engine.c" \
    -L "$libraries" -lFingerpostEngine -lpthread -Wl,-rpath,"$libraries" -Wl,--allow-shlib-undefined -o "$scratch/engine"
run c "$scratch/engine"

if ! command -v javac >/dev/null || ! command -v java >/dev/null; then
    echo 'SKIPPED: the JNI example needs a JDK; install default-jdk-headless.'
    exit 3
fi
java_home=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p')
if [ ! -e "$java_home/include/jni.h" ]; then
    echo 'SKIPPED: the JNI example needs the header jni.h; install default-jdk-headless.'
    exit 3
fi
"$compiler" -std=c11 -Wall -Wextra -Werror -shared -fPIC -I "$root/Sources/Engine/FingerpostEngine" -I "$java_home/include" \
    -I "$java_home/include/linux" "$root/config/examples/jni/fingerpost_jni.c" -L "$libraries" -lFingerpostEngine \
    -Wl,-rpath,"$libraries" -Wl,--allow-shlib-undefined -o "$scratch/libfingerpost_jni.so"
javac -Xlint:all -Werror -d "$scratch/classes" "$root/config/examples/jni/FingerpostEngine.java" \
    "$root/Tests/EngineLibrary/Main.java"
run java java --enable-native-access=ALL-UNNAMED -Xcheck:jni "-Djava.library.path=$scratch" -cp "$scratch/classes" Main
exit "$status"
