"""The work of //data:prepare, inside the environment that prepare.py made: prepare or verify, and say how it went."""

import os
import pathlib
import re
import shutil
import signal
import sys

from environment import exclusive
from failure import Failure, first_sentence
from prepare import parse_flags, report
from verify import verify, verify_directory

STAGING = ".preparing"  # Beside the data sets; what lies in it is unfinished and belongs to whoever holds its lock.


def run_verify(flags):
    faults, records = verify(flags.verify, decode=not flags.quick)
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        raise Failure(f"{flags.verify} is broken: {len(faults)} faults are named above")
    print(f"prepare: {flags.verify} is whole: {records} records")


def run_prepare(flags):
    """Writes into a staging folder, verifies, and only then gives the data set its name."""
    import sources  # TensorFlow takes seconds to load; verification does without.

    area = pathlib.Path(flags.data_dir, STAGING)
    staging = area / re.sub(r"[^\w.]", "-", flags.dataset or flags.name)
    builder = sources.find(flags, str(staging))
    written = pathlib.Path(builder.data_dir)
    final = pathlib.Path(flags.data_dir) / written.relative_to(staging)
    if _is_prepared(final):
        return
    area.mkdir(parents=True, exist_ok=True)
    with exclusive(staging.with_name(staging.name + ".lock"), f"prepare: another process is preparing {final}; waiting"):
        if _is_prepared(final):
            return
        shutil.rmtree(staging, ignore_errors=True)  # Of a run that was killed.
        staging.mkdir()
        try:
            sources.write(builder, str(staging), flags)
            faults, records = verify_directory(written, decode=not flags.quick)
            if faults:
                raise Failure(f"what was written is broken and was thrown away: {faults[0]}")
            final.parent.mkdir(parents=True, exist_ok=True)
            written.rename(final)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    print(f"prepare: {final} is ready: {records} records, verified")


def _is_prepared(final):
    if (final / "dataset_info.json").exists():
        print(f"prepare: {final} is already prepared; --verify={final} reads it again, removing it prepares it anew")
        return True
    if final.exists():
        raise Failure(f"{final} exists but has no dataset_info.json, so it is no prepared data set: move it away")
    return False


def main():
    signal.signal(signal.SIGTERM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    flags = None
    try:
        flags = parse_flags(sys.argv[1:], os.environ["BUILD_WORKING_DIRECTORY"])
        (run_verify if flags.verify else run_prepare)(flags)
        return 0
    except KeyboardInterrupt:
        print("prepare: interrupted; nothing was left behind but downloads: the same command starts again", file=sys.stderr)
        return 130
    except Exception as error:  # Whatever TFDS raises must end in one sentence.
        if flags is None or flags.debug:
            raise
        return report(error if isinstance(error, Failure) else Failure(_describe(error)))


def _describe(error):
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'a file'}: {error.strerror}"
    return f"{first_sentence(error)} ({type(error).__name__}; --debug shows where)"


if __name__ == "__main__":
    sys.exit(main())
