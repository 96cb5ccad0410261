#!/usr/bin/env python3
"""Pictures of report.html in a real browser: docs/figures/report_*.png.

  docs/figures/make_screenshots.py         simulates and identifies the demo arm, then takes the pictures
  docs/figures/make_screenshots.py A.html  takes them of this page, into the working directory

Needs chromium, and pdftoppm (poppler-utils) for the printed page. HEFT_PROGRAM names the program.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HEFT = os.environ.get("HEFT_PROGRAM", str(SOURCE / "build" / "heft"))
DARK = "--blink-settings=preferredColorScheme=0"


def browser(page, *flags):
    """Chromium without a window; its messages are shown only if it fails."""
    done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--use-angle=swiftshader",
                           "--enable-unsafe-swiftshader", "--hide-scrollbars", *flags,
                           page.resolve().as_uri()], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"chromium failed:\n{done.stderr}")


def part_of(page, sections, folder):
    """A copy of the page that shows only some of its sections."""
    shown = ", ".join("#" + section for section in sections)
    style = f"main > :not({shown}) {{ display: none; }} h2 {{ border: 0; margin: 0; }}</style>"
    part = folder / ("_".join(sections) + ".html")
    part.write_text(page.read_text(encoding="utf-8").replace("</style>", style, 1), encoding="utf-8")
    return part


def take_pictures(page, folder, out):
    browser(page, "--window-size=1080,1180", f"--screenshot={out / 'report_light.png'}")
    contributions = part_of(page, ["contributions"], folder)
    browser(contributions, DARK, "--window-size=1080,1180", f"--screenshot={out / 'report_dark.png'}")
    bodies = part_of(page, ["bodies"], folder)
    browser(bodies, "--window-size=1080,1010", f"--screenshot={out / 'report_bodies.png'}")
    browser(page, "--no-pdf-header-footer", f"--print-to-pdf={folder / 'report.pdf'}")
    subprocess.run(["pdftoppm", "-png", "-r", "75", "-f", "1", "-l", "1", "-singlefile", folder / "report.pdf",
                    out / "report_print"], check=True)


def demo_page(folder):
    demo = SOURCE / "tools" / "demo"
    subprocess.run([HEFT, "simulate", "--robot", demo / "arm.urdf", "--out", folder / "logs"], check=True)
    subprocess.run([HEFT, "identify", "--robot", demo / "arm.urdf", "--config", demo / "arm.yaml", "--quiet", "--log",
                    folder / "logs" / "train.csv", "--validate", folder / "logs" / "held_out.csv", "--out",
                    folder / "result"], check=True)
    return folder / "result" / "report.html"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="heft-page-", dir=pathlib.Path.home()) as name:
        scratch = pathlib.Path(name)
        if len(sys.argv) > 1:
            take_pictures(pathlib.Path(sys.argv[1]), scratch, pathlib.Path.cwd())
        else:
            take_pictures(demo_page(scratch), scratch, SOURCE / "docs" / "figures")
