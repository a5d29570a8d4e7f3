"""What can be prepared: data sets that TFDS knows by name, and folders of images. Imports TensorFlow."""

import contextlib
import io
import logging
import os
import re
import sys
import threading

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import absl.logging
import requests
import tensorflow_datasets as tfds

from builders import folder_builder, idx_builder
from failure import BadCall, Failure, first_sentence, nearest
from image_folder import scan

# Their warnings (a retried connection, an optional module) are not the user's; what ends a run is an exception.
absl.logging.set_verbosity(absl.logging.FATAL)
logging.getLogger().setLevel(logging.ERROR)
logging.getLogger("urllib3").setLevel(logging.ERROR)

PLAIN_INTERVAL = 10  # seconds between lines where there is no terminal for a bar

DEBIAN_IDX = {"fashion_mnist": "/usr/share/datasets/fashion-mnist"}
IDX_DATASETS = ("fashion_mnist", "kmnist", "mnist")

# Files that must be there before hours are spent: name -> bytes. Data sets not listed are checked by TFDS as it goes.
IMAGENET = {"ILSVRC2012_img_train.tar": 147897477120, "ILSVRC2012_img_val.tar": 6744924160}
MANUAL_FILES = {"imagenet2012": IMAGENET}


def find(flags, staging):
    """The TFDS builder that flags ask for, set to write below `staging`. Nothing is written or downloaded yet."""
    if flags.images:
        folder = scan(flags.images, flags.unlabeled)
        _describe_folder(flags.images, folder)
        return folder_builder(flags.name, folder, staging, flags.skip_broken, flags.beam_options is not None)
    name = re.split("[/:]", flags.dataset)[0]
    if name not in tfds.list_builders():
        raise BadCall(f"{name} is no data set of TensorFlow Datasets {tfds.__version__}{nearest(name, tfds.list_builders())}")
    if flags.idx_dir and name not in IDX_DATASETS:
        raise BadCall(f"--idx_dir goes with {', '.join(IDX_DATASETS)}, not with {name}")
    idx_dir = flags.idx_dir or DEBIAN_IDX.get(name)
    if idx_dir and os.path.isdir(idx_dir):
        print(f"prepare: {name} from the IDX files in {idx_dir}", file=sys.stderr)
        return idx_builder(tfds.builder_cls(name), idx_dir, staging, staging)
    if flags.idx_dir:
        raise Failure(f"{flags.idx_dir} is not a folder")
    builder = _named_builder(name, flags, staging)
    features = builder.info.features or {}
    if not any(isinstance(feature, tfds.features.Image) for feature in features.values()):
        raise BadCall(f"{flags.dataset} has no image feature, only: {', '.join(sorted(features)) or 'nothing'}")
    _check_manual_files(name, builder, manual_dir(flags))
    return builder


def _named_builder(name, flags, staging):
    try:
        return tfds.builder(flags.dataset, data_dir=staging, file_format="tfrecord")
    except (ValueError, AssertionError, KeyError) as error:
        configs = list(tfds.builder_cls(name).builder_configs)
        asked = re.fullmatch(r"[^/:]+/([^:]+).*", flags.dataset)
        if asked and asked[1] not in configs:
            known = nearest(asked[1], configs) if configs else " (it has none)"
            raise BadCall(f"{name} has no config {asked[1]}{known}") from error
        reason = first_sentence(error).rsplit('}": ')[-1]  # TFDS says how it was called before it says why.
        raise BadCall(f"{flags.dataset} is no version of {name}: {reason}") from error


def manual_dir(flags):
    return flags.manual_dir or os.path.join(flags.data_dir, "downloads", "manual")


def _check_manual_files(name, builder, directory):
    for file, size in MANUAL_FILES.get(name, {}).items():
        path = os.path.join(directory, file)
        if not os.path.isfile(path):
            raise Failure(f"{path} is missing: {name} cannot be downloaded freely; get {' and '.join(MANUAL_FILES[name])} from image-net.org and put them there")
        if os.path.getsize(path) != size:
            raise Failure(f"{path} has {os.path.getsize(path)} bytes, the original has {size}: download it again")
    instructions = builder.MANUAL_DOWNLOAD_INSTRUCTIONS
    if instructions and not (os.path.isdir(directory) and os.listdir(directory)):
        raise Failure(f"{directory} is empty, and {name} cannot be downloaded freely: {' '.join(instructions.split())}")


def _describe_folder(path, folder):
    splits = ", ".join(f"{name} {len(files)}" for name, files in folder.splits.items())
    labels = f"{len(folder.classes)} classes" if folder.classes else "no labels"
    ignored = f", {folder.ignored} other files ignored" if folder.ignored else ""
    print(f"prepare: {path}: {folder.count} images ({splits}), {labels}{ignored}", file=sys.stderr)


def write(builder, staging, flags):
    """Downloads and writes everything below `staging`; downloads are kept beside the data sets."""
    downloads = os.path.join(flags.data_dir, "downloads")
    config = tfds.download.DownloadConfig(
        manual_dir=manual_dir(flags) if os.path.isdir(manual_dir(flags)) else None,
        try_download_gcs=False,
        beam_options=_beam_options(flags.beam_options),
        ignore_duplicates=False,
    )
    terminal = sys.stderr.isatty()
    if not terminal:
        tfds.disable_progress_bar()
    quiet = contextlib.nullcontext() if config.beam_options is None else _beam_log(staging + ".beam.log")
    # What TFDS prints names the staging folder, which the user never sees.
    with quiet, _PlainProgress(staging, downloads, silent=terminal), contextlib.redirect_stdout(io.StringIO()):
        try:
            builder.download_and_prepare(download_dir=downloads, download_config=config, file_format="tfrecord")
        except Exception as error:
            raise _explain(error, builder.name, flags) from error
    for unused in (os.path.join(downloads, "extracted"), downloads):
        with contextlib.suppress(OSError):  # Not empty, or never made.
            os.rmdir(unused)


def _explain(error, name, flags):
    """The Failure to report for what TFDS raised, or the error itself."""
    # A worker's exception arrives wrapped in Beam's own, with its traceback as text.
    inner = re.search(r"failure\.Failure: (.*?)(?: \[while running|\\n|\n|$)", str(error))
    if inner:
        return Failure(inner[1])
    if isinstance(error, (tfds.download.DownloadError, requests.RequestException)):
        what = "the server cannot be reached" if isinstance(error, requests.ConnectionError) else first_sentence(error)
        url = getattr(getattr(error, "request", None), "url", None)
        where = f" from {url}" if url else ""
        return Failure(f"{name} cannot be downloaded{where}: {what}; check the network, or put the file into {manual_dir(flags)}")
    if flags.beam_options is None and "beam" in str(error).lower():
        return Failure(f"{name} is prepared by Apache Beam: add --beam_options")
    return error


@contextlib.contextmanager
def _beam_log(path):
    """Sends what Beam and its worker processes log to a file; our own lines still go to the terminal."""
    print(f"prepare: running on Apache Beam, whose log is {path}", file=sys.stderr, flush=True)
    terminal, ours = os.dup(2), sys.stderr
    with open(path, "w") as log, os.fdopen(terminal, "w", buffering=1) as sys.stderr:
        os.dup2(log.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(terminal, 2)
            sys.stderr = ours
    with open(path, errors="replace") as log:
        print("".join(line for line in log if line.startswith("prepare: ")), end="", file=sys.stderr)


def _beam_options(text):
    if text is None:
        return None
    from apache_beam.options.pipeline_options import PipelineOptions

    options = [option.strip() for option in text.split(",") if option.strip()]
    if not any(option.startswith("runner=") for option in options):
        options += ["runner=DirectRunner", "direct_running_mode=multi_processing", "direct_num_workers=0"]
    return PipelineOptions(flags=["--" + option.lstrip("-") for option in options])


class _PlainProgress:
    """Says every few seconds how much has been written, where TFDS's bars would fill a log."""

    def __init__(self, staging, downloads, silent):
        self._folders = (downloads, staging)
        self._stop = threading.Event()
        self._thread = None if silent else threading.Thread(target=self._speak, daemon=True)

    def __enter__(self):
        if self._thread:
            self._thread.start()

    def __exit__(self, *_):
        self._stop.set()
        if self._thread:
            self._thread.join()

    def _speak(self):
        while not self._stop.wait(PLAIN_INTERVAL):
            downloaded, written = (_bytes_below(folder) / 2**20 for folder in self._folders)
            print(f"prepare: {downloaded:.0f} MiB downloaded, {written:.0f} MiB written", file=sys.stderr, flush=True)


def _bytes_below(folder):
    total = 0
    for path, _, files in os.walk(folder):
        for file in files:
            try:
                total += os.lstat(os.path.join(path, file)).st_size
            except OSError:  # Renamed or removed since it was listed.
                pass
    return total
