"""Compilers of the generated code and of the code in the docs."""

import os
import subprocess
import sys
from pathlib import Path

ENVIRONMENT = dict(os.environ, LC_ALL="C.UTF-8")


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=600, env=ENVIRONMENT, **options)


def fail(message):
    sys.exit(f"{Path(sys.argv[0]).name}: {message}")


def kotlin_folder(arguments):
    """Removes `--kotlin JARS` from the arguments, and returns JARS; None if it is not there."""
    if "--kotlin" not in arguments:
        return None
    index = arguments.index("--kotlin")
    folder = Path(arguments[index + 1])
    del arguments[index:index + 2]
    return folder


def compile_kotlin(folder, files, output):
    """Compiles with the jars in a folder: a compiler, the library, and kotlinx.coroutines, which is part of the former."""
    jars = sorted(str(jar) for jar in folder.rglob("*.jar"))
    library = [jar for jar in jars if "kotlin-stdlib" in jar or jar.endswith("-all.jar")]
    return run(["java", "-cp", ":".join(jars), "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-no-stdlib", "-no-reflect",
                "-Werror", "-cp", ":".join(library), "-d", output, *files])
