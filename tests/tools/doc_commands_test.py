#!/usr/bin/env python3
"""Checks every command line in README and docs: the program, its flags, fields and files exist; and runs those that can run
here, with networks and data made small. doc_commands_test.py TOOL [--compile]: with --compile also those that compile for
TPUs and GPUs."""

import json
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import zlib

TOOL, COMPILE = sys.argv[1], "--compile" in sys.argv
TMP = pathlib.Path(os.environ["TEST_TMPDIR"])
ENV = dict(os.environ, XDG_CACHE_HOME=str(TMP / "cache"), BUILD_WORKING_DIRECTORY=str(TMP), HOME=str(TMP))
PROGRAMS = ["bench", "doctor", "evaluate", "export", "report", "scale", "train", "weights"]

TINY = ["model.architecture=tiny", "model.base_channels=4", "model.projector_hidden_size=16", "model.projector_output_size=8"]
TRAIN = TINY + ["schedule.epochs=1", "schedule.warmup_epochs=0", "schedule.batch_size=16", "evaluation.linear_epochs=1",
                "evaluation.linear_batch_size=32", "recording.diagnostics_interval=0"]
FASHION = ["data.train_split=train[:256]", "data.test_split=test[:64]", "data.train_images=256", "evaluation.bank_images=64",
           "evaluation.image_size=28"]
# What makes a program's example small. CIFAR-10 is not here: Fashion-MNIST stands for it, in colour.
CIFAR = ["data.dataset=fashion_mnist", "evaluation.random_crops=false"] + FASHION
# Examples that some other test runs, or that need what no test has.
ELSEWHERE = [
    (r"//data:prepare ", "//tests/data:command_test"),
    (r"tools/bazel test //\.\.\.$", "CI"),
    (r"tools/compare_input ", "needs TFDS data"),
]


def png(width: int, height: int, level: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes((level + 3 * x + y) % 256 for x in range(3 * width)) for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def make_photos(folder: pathlib.Path) -> None:
    for i in range(60):
        place = folder / ("cats" if i % 2 else "dogs")
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{i}.png").write_bytes(png(32, 24, 4 * i))


def helps() -> dict[str, str]:
    return {program: subprocess.run([f"xla_byol/{program}", "--help"], capture_output=True, text=True, check=True).stdout
            for program in PROGRAMS}


def parse(command: str):
    """(Bazel's verb, label, the program's arguments) of `tools/bazel run LABEL -- ARGUMENTS`."""
    words = [word for word in shlex.split(command, comments=True) if not re.match(r"[A-Z_]+=", word)]
    if words[0] not in ("tools/bazel", "bazel"):
        return None, words[0], words[1:]
    label = next((word for word in words[2:] if not word.startswith("-")), "")
    return words[1], label, words[words.index("--") + 1:] if "--" in words else []


def check(command: str, flags: dict[str, str]) -> str:
    """What is wrong with a command line; empty if nothing is."""
    verb, label, arguments = parse(command)
    if verb is None:
        return "" if os.access(label, os.X_OK) else f"there is no {label}"
    package, _, name = label.removeprefix("//").partition(":")
    if verb not in ("build", "run", "test"):
        return f"Bazel has no {verb}"
    if package == "xla_byol":
        if name not in PROGRAMS:
            return f"there is no program {name}"
        for argument in arguments:
            flag = argument.partition("=")[0]
            if flag.replace("--no", "--", 1) not in flags[name].split() and flag not in flags[name].split():
                return f"{name} has no flag {flag}"
            value = argument.partition("=")[2]
            if value.startswith("configs/") and not os.path.exists(value):
                return f"there is no {value}"
    return ""


def smaller(program: str, arguments: list[str]) -> list[str] | None:
    """The arguments of a quick run; None if it takes a compiler for another machine."""
    sets: list[str] = []
    text = " ".join(arguments)
    if program == "train":
        sets = TRAIN + (CIFAR if "cifar10" in text else FASHION if "--dataset" not in text else [])
    if program == "evaluate":
        sets = ["evaluation.linear_epochs=1"]
    if program in ("export", "scale"):
        if program == "scale" or "--inspect" in text or ("--topology" in text and COMPILE):
            if not COMPILE:
                return None
            sets = [] if "--inspect" in text else TINY + ["data.image_size=32"]
        elif "--topology" in text:
            arguments = [re.sub(r"^--platform=.*", "--platform=none", one) for one in arguments]
        if "--inspect" not in text:
            sets = sets or TINY
    if program == "bench":
        sets, arguments = TINY, arguments + ["--steps=2"]
    return ([re.sub(r"=(/tmp/|~/)", f"={TMP}/", one).replace("=configs/", f"={os.getcwd()}/configs/") for one in arguments] +
            [f"--set={one}" for one in sets])


# Where examples expect something to be: a run of another example.
def prepare(program: str, arguments: list[str]) -> None:
    for argument in arguments:
        if program in ("evaluate", "report", "weights") and argument.startswith("--run_dir="):
            for run in argument.partition("=")[2].split(","):
                target = TMP / run
                if not target.exists():
                    target.parent.mkdir(exist_ok=True)
                    target.symlink_to(TMP / "runs/fashion_mnist_ns")
        for flag in ("--inspect=", "--compare="):
            if argument.startswith(flag) and not pathlib.Path(argument.removeprefix(flag)).exists():
                pathlib.Path(argument.removeprefix(flag)).symlink_to(TMP / "pod")


def order(command: dict) -> int:
    """Training comes first: other examples look at its run."""
    return [":train", ":export", ""].index(next((p for p in (":train", ":export") if p in command["command"]), ""))


def main() -> int:
    make_photos(TMP / "photos")
    commands = json.loads(subprocess.run([TOOL, f"--root={os.getcwd()}", "--commands"], capture_output=True, text=True,
                                         check=True).stdout)
    assert len(commands) > 30, f"only {len(commands)} commands were found"
    flags = helps()
    for group in ("Run:", "Data and settings:", "Devices:", "Several processes:"):
        assert f"\n{group}\n" in flags["train"], f"train --help has no group {group}"
    assert "--set" not in flags["report"], "report has no config"
    faults, ran, seen = [], 0, set()
    for command in sorted(commands, key=order):
        place = f"{command['file']}:{command['line']}: {command['command']}"
        name = parse(command["command"])[1].removeprefix("//xla_byol:")
        if command["not_run"] and not os.path.exists(f"xla_byol/{name}") and name.isalpha():
            continue  # a program that this test does not have
        if fault := check(command["command"], flags):
            faults.append(f"{place}\n    {fault}")
            continue
        verb, label, arguments = parse(command["command"])
        elsewhere = [where for pattern, where in ELSEWHERE if re.search(pattern, command["command"])]
        if command["not_run"] or elsewhere or (label, *arguments) in seen:
            continue
        if verb != "run" or not label.startswith("//xla_byol:"):
            faults.append(f"{place}\n    no test runs it: mark it <!-- not run: REASON -->")
            continue
        seen.add((label, *arguments))
        program = label.partition(":")[2]
        quick = smaller(program, arguments)
        if quick is None:
            continue
        prepare(program, quick)
        done = subprocess.run([f"xla_byol/{program}", *quick], env=ENV, capture_output=True, text=True)
        ran += 1
        if done.returncode != 0:
            faults.append(f"{place}\n    run as {' '.join(quick)}\n    exit {done.returncode}: {done.stderr[-600:]}")
    print(f"{len(commands)} commands, {ran} of them run")
    for fault in faults:
        print(fault)
    return 1 if faults or ran < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
