#!/usr/bin/env python3
"""Screenshots of Heft's pages in a real browser: docs/figures/report_*.png, and those of docs/gallery.md.

  docs/figures/make_screenshots.py         runs the commands of docs/gallery.md on simulated robots, then takes all screenshots
  docs/figures/make_screenshots.py A.html  takes those of this report page, into the working directory

Needs chromium, and pdftoppm (poppler-utils) for the printed page. HEFT_PROGRAM names the program.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HEFT = os.environ.get("HEFT_PROGRAM", str(SOURCE / "build" / "heft"))
DARK = "--blink-settings=preferredColorScheme=0"
# page that a command of docs/gallery.md writes, by the name of its screenshots
GALLERY = {"identify": "gallery/result/report.html", "payload": "gallery/hammer/report.html",
           "excitation": "gallery/motion/report.html", "fleet": "gallery/store/fleet.html"}


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


def take_report(page, folder, out):
    browser(page, "--window-size=1080,1180", f"--screenshot={out / 'report_light.png'}")
    contributions = part_of(page, ["contributions"], folder)
    browser(contributions, DARK, "--window-size=1080,1180", f"--screenshot={out / 'report_dark.png'}")
    bodies = part_of(page, ["bodies"], folder)
    browser(bodies, "--window-size=1080,1010", f"--screenshot={out / 'report_bodies.png'}")
    browser(page, "--no-pdf-header-footer", f"--print-to-pdf={folder / 'report.pdf'}")
    subprocess.run(["pdftoppm", "-png", "-r", "75", "-f", "1", "-l", "1", "-singlefile", folder / "report.pdf",
                    out / "report_print"], check=True)


def take_gallery(folder, out):
    for name, page in GALLERY.items():
        for scheme, flags in (("light", []), ("dark", [DARK])):
            browser(folder / page, *flags, "--window-size=1080,900", f"--screenshot={out / f'gallery_{name}_{scheme}.png'}")


def run_gallery(folder):
    """Runs the commands of docs/gallery.md in a folder that stands for the repository's root."""
    (folder / "tools").symlink_to(SOURCE / "tools")
    path = os.pathsep.join([str(pathlib.Path(HEFT).resolve().parent), os.environ["PATH"]])
    page = (SOURCE / "docs" / "gallery.md").read_text(encoding="utf-8")
    for commands in re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        subprocess.run(["bash", "-euc", commands], cwd=folder, env={**os.environ, "PATH": path}, check=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="heft-page-", dir=pathlib.Path.home()) as name:
        scratch, figures = pathlib.Path(name), SOURCE / "docs" / "figures"
        if len(sys.argv) > 1:
            take_report(pathlib.Path(sys.argv[1]), scratch, pathlib.Path.cwd())
        else:
            run_gallery(scratch)
            take_report(scratch / GALLERY["identify"], scratch, figures)
            take_gallery(scratch, figures)
