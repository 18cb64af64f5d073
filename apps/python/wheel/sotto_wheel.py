"""Builds the wheel of the Python package for pip (PEP 517).

The wheel has the module, the program `sotto` and its data. Its tag names the oldest glibc that has all symbols of the
module and the program. The build is in build/wheel, or in the folder of `--config-settings build-dir=FOLDER`, which is
configured already (scripts/package).
"""
import base64
import hashlib
import io
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import linked  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent.parent
VERSION = re.search(r"project\(sotto VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
DIGITS = ("apps/prepare/data/digits.csv", "apps/prepare/data/digits.LICENSE")
# Zip files have no time before 1980; a fixed time makes equal wheels of equal files.
TIME = (1980, 1, 1, 0, 0, 0)

METADATA = f"""Metadata-Version: 2.1
Name: sotto
Version: {VERSION}
Summary: Private contextual bandits of several organisations
License: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.9
Requires-Dist: numpy
Description-Content-Type: text/markdown

"""


def configure(folder):
    options = {"CMAKE_BUILD_TYPE": "Release", "SOTTO_PYTHON": "ON", "SOTTO_PYTHON_EXECUTABLE": sys.executable,
               "SOTTO_BUILD_TESTS": "OFF", "SOTTO_BUILD_BENCH": "OFF", "SOTTO_BUILD_EXAMPLES": "OFF"}
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", *(f"-D{name}={value}" for name, value in options.items())],
                   check=True)


def tag_of(files):
    """Returns the wheel's tag, such as cp311-cp311-manylinux_2_36_x86_64."""
    for file in files:
        if linked.foreign(file):
            sys.exit(f"sotto_wheel: {file} needs {', '.join(sorted(linked.foreign(file)))}, which not every system has")
    glibc = max(linked.newest(file, "GLIBC") for file in files)
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-manylinux_{glibc[0]}_{glibc[1]}_{os.uname().machine}"


def stripped(file):
    """Returns the bytes of a program or library without symbols for debuggers."""
    copy = file.with_name(file.name + ".stripped")
    subprocess.run(["strip", "--strip-unneeded", "-o", copy, file], check=True)
    try:
        return copy.read_bytes()
    finally:
        copy.unlink()


def pack(folder, out):
    """Writes the wheel of what is built in `folder`, and returns its path."""
    program = folder / "portable/sotto"
    (module,) = (folder / "portable").glob("_core*.so")
    tag = tag_of([module, program])
    python = ROOT / "apps/python/sotto"
    package = sorted([*python.glob("*.py"), *python.glob("*.pyi"), python / "py.typed"])
    files = [(f"sotto/{path.name}", path.read_bytes(), 0o644) for path in package]
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    files.append((f"sotto/_core{suffix}", stripped(module), 0o755))
    # The package and the program each look for the digits in a place of their own.
    for path in map(ROOT.joinpath, DIGITS):
        files.append((f"sotto/{path.name}", path.read_bytes(), 0o644))
        files.append((f"sotto-{VERSION}.data/data/share/sotto/{path.name}", path.read_bytes(), 0o644))
    files.append((f"sotto-{VERSION}.data/scripts/sotto", stripped(program), 0o755))
    info = f"sotto-{VERSION}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: sotto_wheel\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files += [(f"{info}/METADATA", (METADATA + (ROOT / "README.md").read_text()).encode(), 0o644),
              (f"{info}/WHEEL", wheel.encode(), 0o644), (f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644)]
    record = "".join(f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
                     for name, data, _ in files) + f"{info}/RECORD,,\n"
    files.append((f"{info}/RECORD", record.encode(), 0o644))
    path = out / f"sotto-{VERSION}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data, mode in files:
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data)
    return path


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    configured = (config_settings or {}).get("build-dir")
    folder = ROOT / (configured or "build/wheel")
    if not configured:
        configure(folder)
    subprocess.run(["cmake", "--build", folder, "--target", "sotto_python_portable", "sotto_portable"], check=True)
    return pack(folder, Path(wheel_directory)).name


def build_sdist(sdist_directory, config_settings=None):
    """Packs the files of the checkout that git knows."""
    name = f"sotto-{VERSION}"
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    with tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for file in filter(None, listed.split("\0")):
            archive.add(ROOT / file, f"{name}/{file}")
        about = tarfile.TarInfo(f"{name}/PKG-INFO")
        about.size = len(METADATA.encode())
        archive.addfile(about, io.BytesIO(METADATA.encode()))
    return f"{name}.tar.gz"

