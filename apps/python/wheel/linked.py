#!/usr/bin/env python3
"""Says what a program or a library needs of the system where it runs.

usage: linked.py [--only-glibc] FILE...

The script prints the shared libraries of each file. It also prints the versions of glibc and libstdc++ that the
symbols of the file need. Exit code 1: a file needs other libraries than those of glibc and libstdc++. With
--only-glibc, those of libstdc++ are also too many.
"""
import re
import subprocess
import sys

GLIBC = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
COMPILER = {"libstdc++.so.6", "libgcc_s.so.1"}


def readelf(option, file):
    return subprocess.run(["readelf", option, "--wide", file], check=True, capture_output=True, text=True).stdout


def libraries(file):
    """Returns the names of the shared libraries that the file names."""
    return set(re.findall(r"\(NEEDED\).*\[(.+)\]", readelf("--dynamic", file)))


def newest(file, name):
    """Returns the newest version of `name` that a symbol of the file needs, such as (2, 34), or None."""
    found = re.findall(rf"Name: {name}_(\d+(?:\.\d+)*)\b", readelf("--version-info", file))
    return max((tuple(map(int, version.split("."))) for version in found), default=None)


def foreign(file, usual=GLIBC | COMPILER):
    """Returns the libraries of the file that are not among the usual ones."""
    return libraries(file) - usual


def dotted(version):
    return ".".join(map(str, version)) if version else "none"


def main(files):
    usual = GLIBC | COMPILER
    if files[:1] == ["--only-glibc"]:
        usual = GLIBC
        files = files[1:]
    if not files:
        sys.exit(__doc__)
    for file in files:
        versions = ", ".join(f"{name} {dotted(newest(file, name))}" for name in ("GLIBC", "GLIBCXX"))
        print(f"{file}: {', '.join(sorted(libraries(file)))}; {versions}")
    sys.exit(any(foreign(file, usual) for file in files))


if __name__ == "__main__":
    main(sys.argv[1:])
