"""The command line of //data:prepare. Runs on any Python 3; the work is done by run.py in an environment of its own."""

import argparse
import os
import re
import sys

from environment import HERE, ensure_environment
from failure import BadCall, Failure, nearest

CALL = "tools/bazel run //data:prepare --"

EXAMPLES = f"""\
example:
  {CALL} --dataset=cifar10 --data_dir=~/tfds

others, after "--":
  --dataset=imagenet2012 --data_dir=~/tfds         ImageNet; its two tar files are in ~/tfds/downloads/manual
  --images=photos --name=photos --data_dir=~/tfds  a folder of images, one class per subfolder or unlabeled
  --dataset=fashion_mnist --data_dir=~/tfds        from Debian's dataset-fashion-mnist where that is installed
  --verify=~/tfds/cifar10/3.0.2                    reads every record again; exit code 1 names what is broken

Relative paths are relative to your working directory. The same command repeats an interrupted preparation with its downloads
kept, and does nothing if the data set is complete. See docs/data.md.
"""


def _version():
    header = (HERE.parent / "xla_byol" / "base" / "version.h").read_text()
    return re.search(r'kVersion\[\] = "(.+)"', header)[1]


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise BadCall(f"{message}; --help lists the flags")


def _parser():
    parser = _Parser(
        prog="prepare",
        usage=f"{CALL} (--dataset=NAME | --images=FOLDER --name=NAME) --data_dir=DIR [flags]\n"
        f"   or: {CALL} --verify=DIR [--quick]",
        description="Writes image data sets in the layout of TensorFlow Datasets (TFRecord files) and verifies them.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    what = parser.add_argument_group("what to do, one of")
    what.add_argument("--dataset", metavar="NAME", help="a TFDS image data set: name, name/config or name:version")
    what.add_argument("--images", metavar="FOLDER", help="a folder: FOLDER/*, FOLDER/class/* or FOLDER/split/class/*")
    what.add_argument("--verify", metavar="DIR", help="a prepared directory, or one that holds several")
    how = parser.add_argument_group("how")
    how.add_argument("--data_dir", metavar="DIR", help="where data sets are kept: DIR/NAME/VERSION")
    how.add_argument("--name", help="--images: the data set's name, of a-z, 0-9 and _")
    how.add_argument("--unlabeled", action="store_true", help="--images: subfolders are not classes")
    how.add_argument("--skip_broken", action="store_true", help="--images: list files that do not decode and leave them out")
    how.add_argument("--idx_dir", metavar="DIR", help="--dataset=fashion_mnist, mnist, kmnist: the four IDX files, instead of a download")
    how.add_argument("--manual_dir", metavar="DIR", help="files that you downloaded yourself (default: DATA_DIR/downloads/manual)")
    how.add_argument(
        "--beam_options",
        metavar="A,B=C",
        nargs="?",
        const="",
        help="run on Apache Beam with these pipeline options, without their dashes and separated by commas; no runner among"
        " them means one process per core on this machine",
    )
    how.add_argument("--quick", action="store_true", help="verify CRCs, counts and labels, but decode no image")
    how.add_argument("--debug", action="store_true", help="show a stack trace on failure")
    parser.add_argument("--version", action="version", version=f"xla_byol {_version()}", help="show the version and exit")
    return parser


def parse_flags(arguments, directory):
    """The flags as a namespace, paths made absolute from `directory`. BadCall where they make no sense."""
    parser = _parser()
    flags, unknown = parser.parse_known_args(arguments)
    if unknown:
        valid = [option for action in parser._actions for option in action.option_strings]
        raise BadCall(f"{unknown[0]} is not a flag{nearest(unknown[0].split('=')[0], valid)}")
    chosen = [name for name in ("dataset", "images", "verify") if getattr(flags, name) is not None]
    if len(chosen) != 1:
        given = " and ".join("--" + name for name in chosen) or "none"
        raise BadCall(f"one of --dataset, --images and --verify is needed, {given} was given; --help has examples")
    _check_companions(flags, chosen[0])
    for name in ("images", "verify", "data_dir", "idx_dir", "manual_dir"):
        path = getattr(flags, name)
        if path is not None:
            if not path:
                raise BadCall(f"--{name} is empty")
            if "://" in path:
                raise BadCall(f"--{name}={path} is no path: mount it where this machine and any Beam workers see it")
            setattr(flags, name, os.path.normpath(os.path.join(directory, os.path.expanduser(path))))
    return flags


def _check_companions(flags, chosen):
    belongs = {
        "data_dir": ("dataset", "images"),
        "name": ("images",),
        "unlabeled": ("images",),
        "skip_broken": ("images",),
        "idx_dir": ("dataset",),
        "manual_dir": ("dataset",),
        "beam_options": ("dataset", "images"),
    }
    for name, owners in belongs.items():
        if getattr(flags, name) not in (None, False) and chosen not in owners:
            raise BadCall(f"--{name} goes with {' or '.join('--' + owner for owner in owners)}, not with --{chosen}")
    if chosen != "verify" and flags.data_dir is None:
        raise BadCall(f"--{chosen} needs --data_dir=DIR, the folder that data sets are kept in")
    if chosen == "images" and not re.fullmatch(r"[a-z][a-z0-9_]*", flags.name or ""):
        given = f"{flags.name!r} is not one" if flags.name else "none was given"
        raise BadCall(f"--images needs --name=NAME of a-z, 0-9 and _, beginning with a letter: {given}")


def report(failure):
    """Says a failure in one line and returns its exit code."""
    print(f"prepare: {failure} (see docs/data.md)", file=sys.stderr, flush=True)
    return failure.exit_code


def main():
    directory = os.environ.get("BUILD_WORKING_DIRECTORY", os.getcwd())
    try:
        flags = parse_flags(sys.argv[1:], directory)
        for name in ("images", "verify"):
            path = getattr(flags, name)
            if path and not os.path.isdir(path):
                raise Failure(f"{path} is not a folder")
        interpreter = ensure_environment(beam=flags.beam_options is not None)
    except Failure as failure:
        return report(failure)
    except OSError as error:
        return report(Failure(f"{error.filename or 'the environment'}: {error.strerror or error}"))
    # Beam's workers are new processes that import our modules by name.
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment.update(PYTHONPATH=str(HERE), PYTHONDONTWRITEBYTECODE="1", BUILD_WORKING_DIRECTORY=directory)
    environment.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0", CUDA_VISIBLE_DEVICES="")
    os.execve(interpreter, [str(interpreter), str(HERE / "run.py"), *sys.argv[1:]], environment)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("prepare: interrupted", file=sys.stderr)
        sys.exit(130)
