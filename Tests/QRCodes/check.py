#!/usr/bin/env python3
"""check.py FINGERPOST [--seed N]: draws 500 links with `fingerpost links qr`, and decodes them with ZBar and ZXing.

SVG is drawn by librsvg, PNG is read as it is or as a JPEG of quality 40, and the text of a terminal is painted.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import zxingcpp
from PIL import Image

CODES = 500
CAPACITY = {"L": 2953, "M": 2331, "Q": 1663, "H": 1273}
TEXT = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%/?=&"


def luminance(color):
    shares = [int(color[start:start + 2], 16) / 255 for start in (1, 3, 5)]
    lights = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return sum(light * weight for light, weight in zip(lights, (0.2126, 0.7152, 0.0722)))


def colors(chance):
    """Returns a color and a background with a contrast that is allowed, often the least."""
    while True:
        pair = sorted((f"#{chance.randrange(1 << 24):06x}" for _ in range(2)), key=luminance)
        if 4 <= (luminance(pair[1]) + 0.05) / (luminance(pair[0]) + 0.05) < chance.choice([5, 8, 21]):
            return pair


def case(number, chance):
    level = chance.choice("LMQH")
    length = chance.randrange(24, chance.choice([60, 300, CAPACITY[level] // 2]))
    start = "https://go.acme.com/s/"
    color, background = colors(chance)
    form = ["svg", "jpeg", "png", "jpeg", "text"][number % 5]
    return {
        "link": start + "".join(chance.choice(TEXT) for _ in range(length - len(start))), "level": level,
        "quiet-zone": chance.randrange(4, 17), "color": color, "background": background, "form": form,
        # In a JPEG with larger modules, ZBar takes the noise for edges, even in black and white.
        "pixels": chance.randrange(3, 6 if form == "jpeg" else 17), "logo": level == "H" and form == "svg",
    }


def draw(fingerpost, folder, number, one):
    """Returns the path of an image of a code."""
    def drawn(form, size):
        path = folder / f"{number}.{form}"
        command = [fingerpost, "links", "qr", "--output", path, "--format", form, "--size", str(size)]
        for name in ("link", "level", "quiet-zone", "color", "background"):
            command += [f"--{name}", str(one[name])]
        if one["logo"] and size > 1:
            command += ["--logo", folder / "logo.png"]
        subprocess.run(command, check=True)
        return path

    # An SVG names the number of modules.
    side = int(re.search(r'viewBox="0 0 (\d+)', drawn("svg", 1).read_text())[1])
    size = min(4096, side * one["pixels"] + number % side)
    form = "png" if one["form"] == "jpeg" else one["form"]
    path = drawn(form, size)
    if number % 20 < 5:
        first = path.read_bytes()
        if drawn(form, size).read_bytes() != first:
            sys.exit(f"the same options gave different bytes: {one}")
    if form == "text":
        return painted(path)
    if form == "svg":
        subprocess.run(["rsvg-convert", "--output", f"{path}.png", path], check=True)
        return f"{path}.png"
    with Image.open(path) as image:
        if image.size != (size, size):
            sys.exit(f"the PNG has {image.size} pixels instead of {size}: {one}")
        if one["form"] == "png":
            return path
        image.convert("RGB").save(f"{path}.jpeg", quality=40)
        return f"{path}.jpeg"


def painted(path):
    """Paints half blocks in white on black, as a terminal does."""
    lines = path.read_text().splitlines()
    image = Image.new("L", (len(lines[0]), 2 * len(lines)))
    for row, line in enumerate(lines):
        for column, block in enumerate(line):
            image.putpixel((column, 2 * row), 255 * (block in "█▀"))
            image.putpixel((column, 2 * row + 1), 255 * (block in "█▄"))
    image = image.resize((4 * image.width, 4 * image.height), Image.Resampling.NEAREST)
    image.save(f"{path}.png")
    return f"{path}.png"


def read(image):
    """Returns what each decoder reads."""
    zbar = subprocess.run(
        ["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", image], capture_output=True, check=False)
    with Image.open(image) as opened:
        zxing = zxingcpp.read_barcodes(opened, formats=zxingcpp.BarcodeFormat.QRCode)
    return {"zbarimg": zbar.stdout.removesuffix(b"\n"), "zxing-cpp": zxing[0].bytes if zxing else b""}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fingerpost")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    cases = [case(number, chance) for number in range(CODES)]
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = Path(name)
        Image.new("RGB", (64, 64), "#c02040").save(folder / "logo.png")

        def check(number):
            image = draw(options.fingerpost, folder, number, cases[number])
            return read(image)

        answers = list(pool.map(check, range(CODES)))
    wrong = Counter()
    for one, answer in zip(cases, answers):
        for decoder, link in answer.items():
            if link != one["link"].encode():
                wrong[decoder] += 1
                print(f"{decoder} reads {link[:60]!r}: {one}", file=sys.stderr)
    for decoder in ("zbarimg", "zxing-cpp"):
        print(f"{decoder}: {CODES - wrong[decoder]} of {CODES} codes are exact")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
