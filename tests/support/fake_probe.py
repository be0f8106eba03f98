"""A probe's process that does as it is told: what the window does with every kind of it, without a real probe's work.

Run as `python fake_probe.py probe NAME RUN … --stream [--estimate]`. FAKE_PROBE says how it behaves; FAKE_RESULT names a file
with the JSON of its answer.
"""

import base64
import json
import os
import struct
import sys
import threading
import time
import zlib

WORDS: list[str] = []


def say(**message: object) -> None:
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
    sys.stdout.buffer.flush()


def listen() -> None:
    for line in iter(sys.stdin.buffer.readline, b""):
        WORDS.append(line.decode().strip())
    WORDS.append("end")


def png(red: int) -> str:
    """Base64 of a PNG of 2 × 1 pixels, one of this red."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress(bytes((0, red, 0, 0, 0, 0, red)))
    told = chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 1, 8, 2, 0, 0, 0)) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + told).decode()


def estimate(mood: str) -> int:
    if mood == "lacks photos":
        say(estimate={"missing": ["photos (name their folder with --data)"]})
        return 3
    if mood == "cannot tell":
        say(failed="the dice are lost")
        return 2
    say(estimate={"seconds": [20, 80], "memory_bytes": 400 << 20, "engine": "cpu", "grows": False, "steps": 1200, "draws": 30,
                  "gaussians": 50_000, "size_px": [320, 213]})
    return 0


def work(mood: str) -> int:
    if mood == "talks":
        sys.stdout.buffer.write(b"loading...\n\xff\xfe{\n[]\n{\"point\": 3}\n" + b"x" * 3_000_000)
        sys.stdout.buffer.write(b"\n{\"progress\": [0.4, \"half a li")
        sys.stdout.buffer.flush()
        time.sleep(0.05)
        sys.stdout.buffer.write(b"ne\"]}\n")
        sys.stderr.write("a warning\n")
    if mood == "fails":
        say(failed="the photos cannot be read: a.png")
        return 2
    if mood == "breaks":
        sys.stderr.write("Traceback: it broke\n")
        sys.stderr.flush()
        os.abort()
    step = 0
    while True:
        if mood != "stubborn" and ("cancel" in WORDS or "end" in WORDS):
            return 2
        paused = [word for word in WORDS if word in ("pause", "go")][-1:] == ["pause"]
        if not paused:
            step += 1
            say(progress=[min(step / 100, 0.9), f"step {step}"])
            say(point=["PSNR of a.png", "dB", step, 20 + step / 100])
            say(shot={"title": f"render {step % 2}", "camera": "a.png", "png": png(step % 256)})
        if mood == "answers" and step >= 5:
            with open(os.environ["FAKE_RESULT"], encoding="utf-8") as file:
                say(result=json.load(file))
            return 0
        time.sleep(0.02)


if __name__ == "__main__":
    threading.Thread(target=listen, daemon=True).start()
    mood = os.environ.get("FAKE_PROBE", "")
    os._exit(estimate(mood) if "--estimate" in sys.argv else work(mood))
