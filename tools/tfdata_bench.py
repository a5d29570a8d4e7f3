"""tf.data's rate at the reference's input: two random crops of each image, decoded apart and resized bicubically.

Prints one JSON line. `tools/compare_input` runs this in turns with our own reader, in the environment of //data:prepare.
"""

import argparse
import json
import os
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf
import tensorflow_datasets as tfds

AREA = (0.08, 1.0)  # of the image
ASPECT = (3 / 4, 4 / 3)


def random_window(shape):
    """[top, left, height, width] of one crop: the reference's single draw, without retries."""
    height, width = shape[0], shape[1]
    area = tf.random.uniform([], *AREA) * tf.cast(height * width, tf.float32)
    aspect = tf.exp(tf.random.uniform([], *(float(tf.math.log(ratio)) for ratio in ASPECT)))
    crop_width = tf.minimum(tf.cast(tf.round(tf.sqrt(area * aspect)), tf.int32), width)
    crop_height = tf.minimum(tf.cast(tf.round(tf.sqrt(area / aspect)), tf.int32), height)
    top = tf.random.uniform([], 0, height - crop_height + 1, tf.int32)
    left = tf.random.uniform([], 0, width - crop_width + 1, tf.int32)
    return tf.stack([top, left, crop_height, crop_width])


def crop_jpeg(data):
    window = random_window(tf.image.extract_jpeg_shape(data))
    return tf.image.decode_and_crop_jpeg(data, window, channels=3)


def crop_pixels(image):
    top, left, height, width = tf.unstack(random_window(tf.shape(image)))
    return tf.slice(image, [top, left, 0], [height, width, -1])


def finish(crop, flags):
    size = [flags.image_size, flags.image_size]
    crop = tf.image.resize(crop, size, tf.image.ResizeMethod.BICUBIC)
    if flags.output == "uint8":
        return tf.cast(tf.clip_by_value(tf.round(crop), 0, 255), tf.uint8)
    return tf.clip_by_value(crop / 255.0, 0.0, 1.0)


def two_views(data, is_jpeg, flags):
    """Both views of one encoded image."""
    if is_jpeg:
        return tuple(finish(crop_jpeg(data), flags) for _ in range(2))
    # A PNG has no cropped decoding, so both views share one decoded image: better than the reference would do.
    image = tf.io.decode_png(data, channels=3)
    return tuple(finish(crop_pixels(image), flags) for _ in range(2))


def find_version(data_dir, dataset):
    """DIR/NAME/VERSION of the newest prepared version."""
    folder = os.path.join(data_dir, dataset)
    versions = sorted(os.listdir(folder), key=lambda version: [int(n) if n.isdigit() else 0 for n in version.split(".")])
    return os.path.join(folder, versions[-1])


def pipeline(flags):
    builder = tfds.builder_from_directory(find_version(flags.data_dir, flags.dataset))
    data = builder.as_dataset(
        split=flags.split,
        decoders={"image": tfds.decode.SkipDecoding()},
        shuffle_files=True,
        # A handful of shards must not be kept from tf.data's own tuning.
        read_config=tfds.ReadConfig(try_autocache=False, skip_prefetch=True, add_tfds_id=False),
    )
    first = next(iter(data.take(1)))["image"].numpy()
    is_jpeg = first[:2] == b"\xff\xd8"
    options = tf.data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = flags.threads
    options.threading.max_intra_op_parallelism = 1
    data = data.repeat().shuffle(10 * flags.batch, seed=0)
    data = data.map(lambda example: two_views(example["image"], is_jpeg, flags), num_parallel_calls=tf.data.AUTOTUNE)
    data = data.batch(flags.batch, drop_remainder=True).prefetch(tf.data.AUTOTUNE)
    return data.with_options(options)


def measure(data, flags):
    """Images a second, and a processor second, over flags.seconds, after a warm-up in which tf.data tunes itself."""
    batches = iter(data)
    begin = time.monotonic()
    while time.monotonic() - begin < flags.warmup:
        next(batches)
    images, begin, processor = 0, time.monotonic(), time.process_time()
    while (elapsed := time.monotonic() - begin) < flags.seconds:
        next(batches)
        images += flags.batch
    return images / elapsed, images / (time.process_time() - processor)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data_dir", required=True)
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--split", default="train")
    parser.add_argument("--image_size", type=int, required=True)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--threads", type=int, required=True, help="tf.data's private thread pool")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--warmup", type=float, default=5)
    parser.add_argument("--output", choices=("float32", "uint8"), default="uint8", help="float32 as the reference sends")
    flags = parser.parse_args()
    rate, processor_rate = measure(pipeline(flags), flags)
    result = {"images_per_s": round(rate, 1), "images_per_cpu_s": round(processor_rate, 1)}
    print(json.dumps(result | {"threads": flags.threads, "output": flags.output}))


if __name__ == "__main__":
    main()
