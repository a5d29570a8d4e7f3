"""The virtual environment that preparation runs in: made once per lock in the user's cache, and never half made.

An environment's folder carries the hash of its lock files and Python version, so another lock means another folder. It
is built under a temporary name and renamed when complete; an interrupted build is cleared away by the next one.
"""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

from failure import Failure

HERE = pathlib.Path(__file__).resolve().parent
LOCK = HERE / "requirements.txt"
SOURCE_LOCK = HERE / "source_requirements.txt"
BEAM_LOCK = HERE / "beam_requirements.txt"
SUPPORTED = ("3.11", "3.12", "3.13")


def cache_dir():
    """The project's cache folder of this user."""
    root = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(root) / "xla_byol"


def find_python(path=None):
    """(interpreter, version) of the first Python on PATH that the lock has wheels for."""
    for name in ("python3", *("python" + version for version in SUPPORTED)):
        python = shutil.which(name, path=path)
        if not python:
            continue
        query = [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        version = subprocess.run(query, capture_output=True, text=True).stdout.strip()
        if version in SUPPORTED:
            return python, version
    raise Failure(f"no Python of version {', '.join(SUPPORTED)} is on PATH, and TensorFlow has wheels for those only")


def environment_path(version, beam):
    """Where the environment for this Python version is or will be."""
    digest = hashlib.sha256(version.encode())
    for lock in locks(beam):
        digest.update(lock.read_bytes())
    return cache_dir() / f"prepare-{'beam-' if beam else ''}{digest.hexdigest()[:16]}"


def locks(beam):
    return [LOCK, *([BEAM_LOCK] if beam else []), SOURCE_LOCK]


@contextlib.contextmanager
def exclusive(lock_file, waiting):
    """Holds a lock on lock_file; says `waiting` once when another process has it."""
    lock_file.parent.mkdir(parents=True, exist_ok=True)
    with open(lock_file, "w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(waiting, file=sys.stderr)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def ensure_environment(beam=False):
    """The Python interpreter of a complete environment, made now if it is not there yet."""
    python, version = find_python()
    path = environment_path(version, beam)
    interpreter = path / "bin" / "python"
    if interpreter.exists():
        return interpreter
    with exclusive(path.with_suffix(".lock"), f"prepare: another process is making {path}; waiting"):
        if interpreter.exists():
            return interpreter
        unfinished = path.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        print(f"prepare: making a Python environment for TensorFlow Datasets in {path} (once, about 2 GB)", file=sys.stderr)
        try:
            _build(python, unfinished, beam)
            unfinished.rename(path)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
    return interpreter


def _build(python, path, beam):
    _run([python, "-m", "venv", path], "a virtual environment cannot be made (is Python's venv module installed?)")
    pip = [path / "bin" / "python", "-m", "pip", "install", "--require-hashes", "--no-deps", "--progress-bar=off"]
    for lock in locks(beam):
        # A source package is built with the locked setuptools, not with whatever pip would fetch for it.
        kind = ["--no-build-isolation"] if lock == SOURCE_LOCK else ["--only-binary=:all:"]
        print(f"prepare: installing {lock.name}", file=sys.stderr)
        _run([*pip, *kind, f"--requirement={lock}"], f"the packages of {lock.name} cannot be installed (check the network and pip's settings)")


def _run(command, complaint):
    # A console's PYTHONPATH would leak other packages into the environment.
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    result = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=clean)
    if result.returncode:
        lines = [line for line in result.stdout.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:] or ["nothing"]
        raise Failure(f"{complaint}: {errors[0]}")
