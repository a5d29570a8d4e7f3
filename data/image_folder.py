"""Finds out what a folder of images is: its splits, its classes, or that it has none.

Three layouts, told apart by where the images lie:
    FOLDER/*.jpg                  one split, `train`, without labels
    FOLDER/class/**/*.jpg         one split, `train`, labeled
    FOLDER/split/class/**/*.jpg   where every folder is named like a split (train, test, val, ...); a split whose images
                                  lie directly in it has no labels
"""

import dataclasses
import io
import os
import pathlib

from failure import Failure

EXTENSIONS = frozenset((".bmp", ".gif", ".jpeg", ".jpg", ".png", ".ppm", ".tif", ".tiff", ".webp"))
SPLITS = frozenset(("dev", "test", "train", "training", "unlabeled", "val", "valid", "validation"))


@dataclasses.dataclass(frozen=True)
class ImageFile:
    path: str
    key: str  # The path within its split, which also becomes the feature file_name.
    label: str | None


@dataclasses.dataclass
class ImageFolder:
    splits: dict  # name -> list of ImageFile, sorted by key
    classes: list  # sorted; empty when nothing is labeled
    ignored: int  # files that are no images by their names

    @property
    def count(self):
        return sum(len(files) for files in self.splits.values())


def scan(root, unlabeled=False):
    """The ImageFolder at root. With `unlabeled`, folders inside a split are not classes."""
    root = pathlib.Path(root)
    if not root.is_dir():
        raise Failure(f"{root} is not a folder")
    images, ignored = _walk(root)
    if not images:
        raise Failure(f"{root} holds no images: no file in it ends in {' '.join(sorted(EXTENSIONS))}")
    tops = {parts[0] for parts in images if len(parts) > 1}
    named_splits = bool(tops) and {top.lower() for top in tops} <= SPLITS
    loose = [parts for parts in images if len(parts) == 1]
    if tops and loose and not unlabeled:
        raise Failure(
            f"{root} holds images both directly ({loose[0][0]}) and in folders ({sorted(tops)[0]}): move the former into"
            " a folder of their class, or give --unlabeled"
        )
    splits = {}
    for parts in images:
        split = parts[0] if named_splits and len(parts) > 1 else "train"
        inner = parts[1:] if named_splits and len(parts) > 1 else parts
        label = inner[0] if len(inner) > 1 and not unlabeled else None
        splits.setdefault(split, []).append(ImageFile(str(root.joinpath(*parts)), "/".join(inner), label))
    for split, files in splits.items():
        bare = [file for file in files if file.label is None]
        if bare and len(bare) < len(files):
            raise Failure(
                f"{root}/{split} holds images both directly ({bare[0].key}) and in folders of classes: move the former,"
                " or give --unlabeled"
            )
        files.sort(key=lambda file: file.key)
    classes = sorted({file.label for files in splits.values() for file in files if file.label is not None})
    return ImageFolder(dict(sorted(splits.items())), classes, ignored)


def _walk(root):
    """([parts of each image's path below root], number of other files). Follows links, but no folder twice."""
    images, ignored, seen = [], 0, set()
    for folder, subfolders, files in os.walk(root, followlinks=True):
        seen.add(os.path.realpath(folder))
        subfolders[:] = sorted(
            name for name in subfolders if name[0] != "." and os.path.realpath(os.path.join(folder, name)) not in seen
        )
        for name in files:
            if name[0] == ".":
                continue
            if os.path.splitext(name)[1].lower() in EXTENSIONS:
                images.append(pathlib.Path(folder, name).relative_to(root).parts)
            else:
                ignored += 1
    return images, ignored


def read_image(path):
    """The bytes to store for an image file: its own if it is an RGB or grey JPEG or a PNG, else an RGB PNG of it.

    Decodes it once, so that no broken file gets into a data set. ValueError if it is broken.
    """
    data = pathlib.Path(path).read_bytes()
    try:
        image = decode(data)
    except ValueError as error:
        raise ValueError(f"{path} is not a whole image: {error}") from error
    if image.format == "PNG" or (image.format == "JPEG" and image.mode in ("L", "RGB")):
        return data
    png = io.BytesIO()
    image.convert("RGB").save(png, "PNG")
    return png.getvalue()


def decode(data):
    """A PIL image with its pixels loaded; ValueError that says why these bytes are no whole image."""
    from PIL import Image  # Only here: finding out about folders works without it.

    try:
        image = Image.open(io.BytesIO(data))
        image.load()
        return image
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError("of no known format" if "cannot identify" in str(error) else str(error)) from error
