"""Draw docs/pages/*.png from the pages of a demo in a folder; Chromium comes with scripts/browser."""

import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pages"
SHOWN = {"report": 940, "cut": 900}  # height in pixels of what is seen first


def main(demo: Path) -> None:
    PICTURES.mkdir(exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, height in SHOWN.items():
            page = browser.new_page(viewport={"width": 1280, "height": height})
            page.goto((demo / f"{name}.html").resolve().as_uri())
            page.screenshot(path=PICTURES / f"{name}.png")
            Image.open(PICTURES / f"{name}.png").quantize(64).save(PICTURES / f"{name}.png", optimize=True)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
