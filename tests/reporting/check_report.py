"""Looks at what a browser made of the reports: the drawn DOM, its messages and requests, and the pixels."""

import collections
import json
import re
import struct
import sys
import zlib

work, out = sys.argv[1:]
CHARTS = 14  # of a run that records everything: 13 of curves, and the heat map


def read_png(path, rows_wanted=1300):
    """The first rows, RGB bytes, of an 8-bit PNG without interlacing; plain Python takes its time for more."""
    data = open(path, "rb").read()
    width, height, depth, color = struct.unpack(">IIBB", data[16:26])
    assert depth == 8 and color in (2, 6), (depth, color)
    channels = 3 if color == 2 else 4
    packed, at = b"", 8
    while at < len(data):
        (length,), kind = struct.unpack(">I", data[at:at + 4]), data[at + 4:at + 8]
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += length + 12
    raw, stride = zlib.decompress(packed), width * channels
    rows, before = [], bytearray(stride)
    for y in range(min(height, rows_wanted)):
        start = y * (stride + 1)
        kind, line = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        for i in range(stride if kind else 0):
            left = line[i - channels] if i >= channels else 0
            up, corner = before[i], before[i - channels] if i >= channels else 0
            if kind == 1:
                guess = left
            elif kind == 2:
                guess = up
            elif kind == 3:
                guess = (left + up) // 2
            else:
                guess = min((left, up, corner), key=lambda one: abs(left + up - corner - one))
            line[i] = (line[i] + guess) & 255
        rows.append(line)
        before = line
    return width, channels, rows


def check(name, curves, charts, colors):
    dom = open(f"{work}/{name}.dom").read()
    assert f'data-drawn="{charts}"' in dom, (name, re.findall(r'<html[^>]*>', dom))
    assert "data-error" not in dom, name
    paths = re.findall(r'<path class="line" d="([^"]*)"', dom)
    assert len(paths) == curves, (name, len(paths), curves)
    for path in paths:
        assert "NaN" not in path and "Infinity" not in path, path
    assert 'class="cell"' in dom and "data:image/png" in dom, name

    log = open(f"{work}/{name}.log").read()
    assert "CONSOLE" not in log, log
    assert 'data-asked="0 requests ' in dom and "data-refused" not in dom, re.findall(r'<html[^>]*>', dom)

    width, channels, rows = read_png(f"{out}/{name}.png")
    counts = collections.Counter()
    for row in rows:
        for x in range(0, width * channels, channels):
            counts[bytes(row[x:x + 3])] += 1
    for color in colors:
        # The shortest run is a few pixels in each chart, and still has some hundred of its colour unmixed.
        assert counts[bytes.fromhex(color)] > 300, (name, color, counts[bytes.fromhex(color)])


BLUE, ORANGE, GREEN = "0b66c3", "d9480f", "12805c"
json.loads(re.search(r'id="data">(.*?)</script>', open(f"{work}/one.html").read(), re.S).group(1))
check("one", curves=23, charts=CHARTS, colors=[BLUE, ORANGE])
check("many", curves=69, charts=CHARTS + 2, colors=[BLUE, ORANGE, GREEN])
check("short", curves=23, charts=CHARTS, colors=[BLUE, ORANGE])

learned = open(f"{work}/learned.dom").read()
assert "data-error" not in learned and 'data-asked="0 requests ' in learned and "data-refused" not in learned, \
    re.findall(r'<html[^>]*>', learned)
row = re.search(r"<td>untrained network</td><td>([^<]*)</td><td>([^<]*)</td>", learned)
assert row and row.groups() == ("61.2 %", "58.7 %"), row
assert "<td>raw pixels</td><td>53.4 %</td><td>–</td>" in learned, "baselines"
assert "untrained linear" not in learned, "baselines are in one place"
assert learned.count('class="gallery-row"') == 10 and learned.count('<i class="other"') == 20, "neighbours"
assert learned.count('<td class="right"') == 10 and learned.count('<td class="wrong"') == 90, "confusions"
assert "&lt;nine&gt; &amp; " in learned, "names of classes are text"
width, channels, rows = read_png(f"{out}/learned.png")
reds = sum(row[x:x + 3] == b"\xdd\x33\x33" for row in rows for x in range(0, width * channels, channels))
assert reds > 1000, ("frames of wrong neighbours", reds)
# The map is a canvas, so its points are there only as pixels: colours that nothing else on the page has.
colourful = {bytes(row[x:x + 3]) for row in rows for x in range(0, width * channels, channels)
             if max(row[x:x + 3]) - min(row[x:x + 3]) > 90}
assert len(colourful) > 100, ("points of the map", len(colourful))

used = open(f"{work}/used.dom").read()
state = re.findall(r'<html[^>]*>', used)
assert "data-error" not in used and f'data-used="{CHARTS + 1} tips, zoomed true, true"' in used, state
assert "CONSOLE" not in open(f"{work}/used.log").read()
for path in re.findall(r' d="([^"]*)"', used):
    assert "NaN" not in path and "Infinity" not in path, path
