#!/bin/bash
# A folder of images in one command: what `train --dataset` reads from it, and what others ask for.
set -eu
tmp=$TEST_TMPDIR
export XDG_CACHE_HOME=$tmp/cache BUILD_WORKING_DIRECTORY=$tmp
python3 - "$tmp/photos" <<'PYTHON'
import os, random, struct, sys, zlib

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

random.seed(1)
for i in range(60):
    folder = f"{sys.argv[1]}/{'round' if i % 2 else 'square'}"
    os.makedirs(folder, exist_ok=True)
    width, height = random.choice([(40, 30), (30, 30), (30, 50)])
    rows = b"".join(b"\0" + bytes(random.randrange(256) for _ in range(3 * width)) for _ in range(height))
    with open(f"{folder}/{i:02d}.png", "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
PYTHON

tiny=(--set=model.architecture=tiny --set=model.base_channels=4 --set=model.projector_hidden_size=16
  --set=model.projector_output_size=8 --set=schedule.epochs=2 --set=schedule.batch_size=8
  --set=recording.diagnostics_interval=0 --set=evaluation.linear_epochs=1)
fail() { echo "$1"; cat "$tmp/log"; exit 1; }
said() { grep -qF -- "$1" "$tmp/log" || fail "missing: $1"; }

xla_byol/train --dataset=photos "${tiny[@]}" 2>"$tmp/log" || fail "train ended with $?"
said '54 training and 6 test images (held out, there is no test split), 2 classes, colour, 30 pixels'
said 'recipe: a small ResNet for a CPU (configs/starting/cpu.textproto), 48 pixels, batch 8, 2 epochs'
said 'linear probe'
[[ -f $tmp/runs/photos/report.html ]] || fail "no report in runs/photos"
grep -qF "dataset: \"$tmp/photos\"" "$tmp/runs/photos/config.textproto" || fail "the folder's path is not absolute"

# The run knows its data from anywhere.
(BUILD_WORKING_DIRECTORY=/ xla_byol/evaluate --run_dir="$tmp/runs/photos" --nolinear) \
  >"$tmp/json" 2>"$tmp/log" || fail "evaluate ended with $?"
grep -q knn_top1 "$tmp/json" || fail "no k-NN in $(cat "$tmp/json")"

# A config's settings with other data than its own.
xla_byol/train --config="$PWD/configs/cifar10_ns.textproto" --dataset=photos --run_dir=other "${tiny[@]}" \
  --set=data.classes=0 --set=data.image_size=16 --set=model.stem=SMALL --set=schedule.warmup_epochs=0 \
  2>"$tmp/log" || fail "train with a config ended with $?"
grep -q 'train_images: 54' "$tmp/other/config.textproto" || fail "the config's number of images stayed"
grep -q recipe "$tmp/log" && fail "a config needs no recipe"

# A broken file is named once, and does not count. Every tenth is a test image: 01.png is, 03.png is not.
cp -r "$tmp/photos" "$tmp/spoilt"
for file in 01 03; do printf 'no image' >"$tmp/spoilt/round/$file.png"; done
xla_byol/train --dataset=spoilt "${tiny[@]}" 2>"$tmp/log" || fail "train with broken files ended with $?"
for file in 01 03; do
  (($(grep -c "bad record, not used: .*round/$file.png" "$tmp/log") == 1)) || fail "round/$file.png is not named once"
done
grep -q 'encoding 6 test images: .*, 1 of them cannot be read and does not count' "$tmp/log" || fail "01.png counts"

# Nothing of that name.
code=0
xla_byol/train --dataset=fotos "${tiny[@]}" 2>"$tmp/log" || code=$?
((code == 1)) || fail "a folder that is not there ended with $code"
said 'and there is no folder /'
echo ok
