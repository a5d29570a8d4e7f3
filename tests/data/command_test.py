"""What is decided before TensorFlow is loaded: flags, folders of images, the environment's life."""

import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import environment
import image_folder
from failure import BadCall, Failure
from prepare import parse_flags


class Flags(unittest.TestCase):
    def bad(self, *arguments):
        with self.assertRaises(BadCall) as caught:
            parse_flags(arguments, "/here")
        self.assertEqual(caught.exception.exit_code, 2)
        return str(caught.exception)

    def test_paths_are_relative_to_the_user(self):
        flags = parse_flags(["--images=photos", "--name=p", "--data_dir=../tfds"], "/here/now")
        self.assertEqual((flags.images, flags.data_dir), ("/here/now/photos", "/here/tfds"))

    def test_sentences(self):
        self.assertIn("(nearest: --dataset)", self.bad("--datset=cifar10"))
        self.assertIn("none was given", self.bad())
        self.assertIn("--dataset and --images", self.bad("--dataset=a", "--images=b"))
        self.assertIn("needs --data_dir", self.bad("--dataset=cifar10"))
        self.assertIn("goes with --images", self.bad("--dataset=a", "--data_dir=d", "--name=x"))
        self.assertIn("'Pets' is not one", self.bad("--images=a", "--data_dir=d", "--name=Pets"))
        self.assertIn("mount it", self.bad("--dataset=a", "--data_dir=gs://b"))

    def test_help_and_version(self):
        for flag, text in [("--help", "tools/bazel run //data:prepare -- --dataset=cifar10"), ("--version", "xla_byol 0.")]:
            with mock.patch("sys.stdout", io.StringIO()) as said, self.assertRaises(SystemExit) as ended:
                parse_flags([flag], "/here")
            self.assertEqual(ended.exception.code, 0)
            self.assertIn(text, said.getvalue())

    def test_beam_options_may_be_empty(self):
        self.assertEqual(parse_flags(["--dataset=a", "--data_dir=d", "--beam_options"], "/").beam_options, "")
        self.assertIsNone(parse_flags(["--dataset=a", "--data_dir=d"], "/").beam_options)


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)

    def touch(self, *names):
        for name in names:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_bytes(b"")


class Folders(Scratch):
    def summary(self, **options):
        folder = image_folder.scan(self.root, **options)
        return {split: [(file.key, file.label) for file in files] for split, files in folder.splits.items()}

    def test_flat(self):
        self.touch("b.jpg", "a.PNG", "notes.txt", ".hidden.jpg")
        self.assertEqual(self.summary(), {"train": [("a.PNG", None), ("b.jpg", None)]})
        self.assertEqual(image_folder.scan(self.root).ignored, 1)

    def test_classes(self):
        self.touch("dog/1.jpg", "cat/deep/2.jpg")
        self.assertEqual(self.summary(), {"train": [("cat/deep/2.jpg", "cat"), ("dog/1.jpg", "dog")]})
        self.assertEqual(image_folder.scan(self.root).classes, ["cat", "dog"])
        self.assertEqual(image_folder.scan(self.root, unlabeled=True).classes, [])

    def test_splits_of_which_one_is_unlabeled(self):
        self.touch("train/cat/1.jpg", "test/2.jpg")
        self.assertEqual(self.summary(), {"test": [("2.jpg", None)], "train": [("cat/1.jpg", "cat")]})

    def test_mixtures_are_refused(self):
        self.touch("cat/1.jpg", "2.jpg")
        with self.assertRaisesRegex(Failure, "both directly"):
            self.summary()
        self.assertEqual(len(self.summary(unlabeled=True)["train"]), 2)

    def test_nothing(self):
        with self.assertRaisesRegex(Failure, "holds no images"):
            self.summary()

    def test_links_in_a_circle(self):
        self.touch("cat/1.jpg")
        (self.root / "cat" / "again").symlink_to(self.root)
        self.assertEqual(image_folder.scan(self.root).count, 1)


class Environment(Scratch):
    """With locks that name nothing, so that a real environment is made in seconds."""

    def setUp(self):
        super().setUp()
        self.lock = self.root / "requirements.txt"
        self.lock.write_text("# nothing\n")
        empty = self.root / "source_requirements.txt"
        empty.write_text("# nothing\n")
        for patch in (
            mock.patch.object(environment, "LOCK", self.lock),
            mock.patch.object(environment, "SOURCE_LOCK", empty),
            # Any Python has wheels of nothing.
            mock.patch.object(environment, "SUPPORTED", ["%d.%d" % sys.version_info[:2]]),
            mock.patch.dict(os.environ, XDG_CACHE_HOME=str(self.root / "cache")),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def entries(self):
        return sorted(path.name for path in (self.root / "cache" / "xla_byol").iterdir() if path.suffix != ".lock")

    def test_made_once_over_a_killed_build_and_again_for_another_lock(self):
        _, version = environment.find_python()
        unfinished = environment.environment_path(version, False).with_suffix(".unfinished")
        (unfinished / "lib").mkdir(parents=True)
        first = environment.ensure_environment()
        self.assertEqual(self.entries(), [first.parent.parent.name])
        subprocess.run([first, "-c", "import sys; assert sys.prefix != sys.base_prefix"], check=True)
        made = first.stat().st_mtime_ns
        self.assertEqual(environment.ensure_environment(), first)
        self.assertEqual(first.stat().st_mtime_ns, made)
        self.lock.write_text("# still nothing\n")
        self.assertNotEqual(environment.environment_path(version, False), first.parent.parent)

    def test_interruption_and_failure_leave_nothing(self):
        with mock.patch.object(environment, "_run", side_effect=KeyboardInterrupt):
            self.assertRaises(KeyboardInterrupt, environment.ensure_environment)
        self.assertEqual(self.entries(), [])
        self.lock.write_text("no-such-package-of-any-kind==1 --hash=sha256:" + "0" * 64 + "\n")
        with mock.patch.dict(os.environ, PIP_NO_INDEX="1"), self.assertRaisesRegex(Failure, "cannot be installed"):
            environment.ensure_environment()
        self.assertEqual(self.entries(), [])

    def test_no_python(self):
        with self.assertRaisesRegex(Failure, "no Python of version"):
            environment.find_python(path=str(self.root))


if __name__ == "__main__":
    unittest.main()
