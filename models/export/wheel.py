"""`python -m export.wheel PROJECT OUT`: packs models as a wheel that a package index takes."""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

LARGEST_BYTES = 95_000_000
"""A package index takes files of 100 MB."""


def build_wheel(project: Path, out: Path, largest_bytes: int = LARGEST_BYTES) -> Path:
    """The wheel, in the folder `out`. Raises ValueError, and leaves none, where it is too large."""
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir"]
    with TemporaryDirectory() as work:
        subprocess.run([*command, work, project], check=True, stdout=subprocess.DEVNULL)
        (made,) = Path(work).glob("*.whl")
        if (size := made.stat().st_size) > largest_bytes:
            raise ValueError(f"{made.name} has {size} bytes, more than {largest_bytes}")
        out.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(made, out))


def main() -> None:
    parser = argparse.ArgumentParser(prog="export.wheel", description=__doc__)
    parser.add_argument("project", type=Path, help="folder with a pyproject.toml")
    parser.add_argument("out", type=Path, help="folder for the wheel")
    options = parser.parse_args()
    made = build_wheel(options.project, options.out)
    print(f"{made}: {made.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
