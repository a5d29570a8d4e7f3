"""BYOL's augmentation of one image in NumPy, float64: the reference's semantics, written for clarity.

Takes images in [0,1] and the drawn numbers, a row per image:
    0 apply jitter; 1..4 its order (0 brightness, 1 contrast, 2 saturation, 3 hue); 5 brightness delta;
    6 contrast factor; 7 saturation factor; 8 hue delta (turns); 9 apply grayscale; 10 apply blur;
    11 blur sigma; 12 apply solarization
"""

import colorsys

import numpy as np

to_hsv = np.vectorize(colorsys.rgb_to_hsv)
to_rgb = np.vectorize(colorsys.hsv_to_rgb)


def in_hsv(image: np.ndarray, change) -> np.ndarray:
    h, s, v = change(*to_hsv(image[..., 0], image[..., 1], image[..., 2]))
    return np.stack(to_rgb(h, s, v), -1)


def brightness(image: np.ndarray, draws: np.ndarray) -> np.ndarray:
    return image + draws[5]


def contrast(image: np.ndarray, draws: np.ndarray) -> np.ndarray:
    mean = image.mean((0, 1))
    return draws[6] * (image - mean) + mean


def saturation(image: np.ndarray, draws: np.ndarray) -> np.ndarray:
    return in_hsv(image, lambda h, s, v: (h, np.clip(s * draws[7], 0.0, 1.0), v))


def hue(image: np.ndarray, draws: np.ndarray) -> np.ndarray:
    return in_hsv(image, lambda h, s, v: ((h + draws[8]) % 1.0, s, v))


JITTER = (brightness, contrast, saturation, hue)


def blur(image: np.ndarray, sigma: float) -> np.ndarray:
    height, width, _ = image.shape
    radius = int(height / 10 / 2)
    kernel = np.exp(-np.arange(-radius, radius + 1) ** 2 / (2.0 * sigma**2))
    kernel /= kernel.sum()
    for axis, size in ((0, height), (1, width)):
        padding = [(radius, radius) if a == axis else (0, 0) for a in range(3)]
        padded = np.pad(image, padding)
        image = sum(weight * np.take(padded, range(i, i + size), axis) for i, weight in enumerate(kernel))
    return image


def augment(image: np.ndarray, draws: np.ndarray) -> np.ndarray:
    gray = image.shape[2] == 1
    if draws[0]:
        for operation in draws[1:5].astype(int):
            if not (gray and operation >= 2):
                image = np.clip(JITTER[operation](image, draws), 0.0, 1.0)
    if draws[9] and not gray:
        image = np.repeat((image @ np.array([0.2989, 0.5870, 0.1140]))[..., None], 3, -1)
    image = np.clip(image, 0.0, 1.0)
    if draws[10]:
        image = blur(image, draws[11])
    if draws[12]:
        image = np.where(image < 0.5, image, 1.0 - image)
    return np.clip(image, 0.0, 1.0)


def augment_batch(pixels: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """uint8 images to [0,1]."""
    draws = draws.astype(np.float64)
    return np.stack([augment(image / 255.0, row) for image, row in zip(pixels, draws, strict=True)])
