"""Compares the C++ program's augmentation with NumPy's:

    compare_augmented.py FILE

FILE is what tests/augment/augment_cases writes: <case>/{pixels,draws,ours}. Bound: 1/255, a step of the pixels;
what f32 makes of it is some hundred times better, which is checked on the mean.
"""

import sys

import numpy as np

import augment_numpy
import safetensors_io


def main() -> int:
    tensors = safetensors_io.read(sys.argv[1])
    cases = sorted({name.split("/")[0] for name in tensors})
    failed = 0
    for case in cases:
        pixels, draws, ours = (tensors[f"{case}/{part}"] for part in ("pixels", "draws", "ours"))
        difference = np.abs(ours - augment_numpy.augment_batch(pixels, draws))
        changed = np.abs(ours - pixels / 255.0).mean()
        good = difference.max() <= 1 / 255 and difference.mean() <= 1e-5
        failed += not good
        print(f"{'ok' if good else 'FAILED'}: {case}: {len(pixels)} images, differ by {difference.max():.2g} at most, "
              f"{difference.mean():.2g} on average (changed by {changed:.2g})")
    print(f"{len(cases)} cases, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
