"""Progress on stderr: a bar on a terminal, a plain line every few seconds elsewhere."""

import sys
import time

PLAIN_INTERVAL = 10  # seconds


class Progress:
    """Counts towards a total. Use as a context manager; add(n) after each n."""

    def __init__(self, what, total, unit, stream=None):
        self._what, self._total, self._unit = what, total, unit
        self._stream = stream or sys.stderr
        self._bar = None
        self._done = 0
        self._started = self._said = time.monotonic()

    def __enter__(self):
        if self._stream.isatty():
            from tqdm import tqdm

            self._bar = tqdm(total=self._total, desc=self._what, unit=" " + self._unit, file=self._stream)
        return self

    def __exit__(self, error, *_):
        if self._bar is not None:
            self._bar.close()
        elif error is None:
            self._say(f" in {time.monotonic() - self._started:.0f} s")

    def add(self, count):
        self._done += count
        if self._bar is not None:
            self._bar.update(count)
        elif time.monotonic() - self._said >= PLAIN_INTERVAL:
            self._said = time.monotonic()
            self._say("")

    def _say(self, end):
        print(f"prepare: {self._what}: {self._done} of {self._total} {self._unit}{end}", file=self._stream, flush=True)
