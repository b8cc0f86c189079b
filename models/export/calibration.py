"""What an export takes from the data: ranges of activations, and how outputs are read.

Kept beside adapters, they make the model again for whoever has the published encoder and no data.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from safetensors.numpy import load_file, save_file

from export.activations import Ranges
from export.manifest import HeadReading
from export.quantise import Floats, Range
from train.model import weights_sha256

RANGES, READINGS = "ranges.safetensors", "readings.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """ranges: by the name of the product that reads them. readings: of all heads, in order."""

    ranges: Ranges
    readings: list[HeadReading]


def sides(ranges: Ranges) -> Iterator[tuple[str, Floats]]:
    for name, span in ranges.items():
        yield f"{name}.low", span.low
        yield f"{name}.high", span.high


def write_calibration(calibration: Calibration, weights: Path) -> None:
    """Into the folder of the weights that it was made with."""
    save_file(dict(sides(calibration.ranges)), weights / RANGES)
    heads = [asdict(reading) for reading in calibration.readings]
    record = {"weights_sha256": weights_sha256(weights), "heads": heads}
    (weights / READINGS).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def read_calibration(weights: Path) -> Calibration:
    """Raises ValueError where there is none, or one of other weights."""
    path = weights / READINGS
    if not path.exists():
        raise ValueError(f"{path} is missing: python -m export calibration --weights {weights} ...")
    record = json.loads(path.read_text(encoding="utf-8"))
    if record["weights_sha256"] != weights_sha256(weights):
        raise ValueError(f"{path} is of other weights: run `python -m export calibration` again")
    readings = [HeadReading(**head) for head in record["heads"]]
    return Calibration(ranges=ranges_of(load_file(weights / RANGES)), readings=readings)


def ranges_of(arrays: Mapping[str, Floats]) -> Ranges:
    names = [name.removesuffix(".low") for name in arrays if name.endswith(".low")]
    return {name: Range(low=arrays[f"{name}.low"], high=arrays[f"{name}.high"]) for name in names}
