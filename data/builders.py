"""TFDS builders of our own: a folder of images, and MNIST-like sets from IDX files that are already on this machine."""

import concurrent.futures
import gzip
import itertools
import pathlib
import shutil
import sys

import tensorflow_datasets as tfds

from failure import Failure
from image_folder import read_image

BROKEN_HINT = "fix or remove it, or give --skip_broken"
IN_FLIGHT = 64  # Images decoded ahead of the writer.


class FolderBuilder(tfds.core.GeneratorBasedBuilder, skip_registration=True):
    """Writes an ImageFolder. Made with `folder_builder`, which gives each data set its own name."""

    VERSION = tfds.core.Version("1.0.0")
    folder = None
    skip_broken = False
    with_beam = False

    def _info(self):
        features = {"image": tfds.features.Image(shape=(None, None, 3)), "file_name": tfds.features.Text()}
        if self.folder.classes:
            features["label"] = tfds.features.ClassLabel(names=self.folder.classes)
        return tfds.core.DatasetInfo(
            builder=self,
            description=f"{self.folder.count} images of a folder, written by //data:prepare.",
            features=tfds.features.FeaturesDict(features),
            supervised_keys=("image", "label") if self.folder.classes else None,
            disable_shuffling=False,
        )

    def _split_generators(self, dl_manager):
        return {split: self._generate_examples(files) for split, files in self.folder.splits.items()}

    def _generate_examples(self, files):
        labels = {name: index for index, name in enumerate(self.folder.classes)}
        jobs = [(file, labels.get(file.label, -1) if labels else None, self.skip_broken) for file in files]
        if self.with_beam:
            import apache_beam as beam

            return beam.Create(jobs) | beam.Reshuffle() | beam.FlatMap(read_example)
        return _in_threads(jobs)


def folder_builder(name, folder, data_dir, skip_broken, with_beam):
    """A builder of the data set `name` from an ImageFolder."""
    attributes = {
        "name": name,
        "folder": folder,
        "skip_broken": skip_broken,
        "with_beam": with_beam,
        "__module__": __name__,
        "pkg_dir_path": pathlib.Path(__file__).parent,
    }
    return type(name, (FolderBuilder,), attributes, skip_registration=True)(data_dir=data_dir, file_format="tfrecord")


def _in_threads(jobs):
    """read_example of each job, a few ahead: decoding leaves Python's lock."""
    remaining = iter(jobs)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        while batch := list(itertools.islice(remaining, IN_FLIGHT)):
            for examples in pool.map(read_example, batch):
                yield from examples


def read_example(job):
    """[(key, example)] of one image file, or [] for a broken one that may be skipped. Runs in threads and Beam workers."""
    file, label, skip_broken = job
    try:
        example = {"image": read_image(file.path), "file_name": file.key}
    except ValueError as error:
        if not skip_broken:
            raise Failure(f"{error}; {BROKEN_HINT}") from error
        print(f"prepare: skipped: {error}", file=sys.stderr)
        return []
    if label is not None:
        example["label"] = label
    return [(file.key, example)]


def idx_builder(builder_class, idx_dir, scratch, data_dir):
    """A builder of a TFDS data set of the MNIST kind that unpacks local .gz files where TFDS would download them."""

    def local(urls):
        return {key: _unpack(pathlib.Path(idx_dir) / url.rsplit("/", 1)[1], scratch) for key, url in urls.items()}

    def split_generators(self, dl_manager):
        dl_manager.download_and_extract = local
        return builder_class._split_generators(self, dl_manager)

    attributes = {
        "name": builder_class.name,
        "pkg_dir_path": builder_class.pkg_dir_path,
        "__module__": builder_class.__module__,
        "_split_generators": split_generators,
    }
    local_class = type(builder_class.__name__, (builder_class,), attributes, skip_registration=True)
    return local_class(data_dir=data_dir, file_format="tfrecord")


def _unpack(packed, scratch):
    """A plain copy of an IDX file, which may lie there with or without .gz."""
    for path, opener in ((packed, gzip.open), (packed.with_suffix(""), open)):
        if path.is_file():
            target = pathlib.Path(scratch) / packed.stem
            try:
                with opener(path, "rb") as source, open(target, "wb") as sink:
                    shutil.copyfileobj(source, sink)
            except (EOFError, gzip.BadGzipFile, OSError) as error:
                raise Failure(f"{path} cannot be unpacked: {error}") from error
            return str(target)
    raise Failure(f"{packed} is missing: --idx_dir must hold the four IDX files of the data set")
