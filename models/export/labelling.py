"""`python -m export.labelling --data DATA --weights RUN --base DIR --out FILE`: a teacher's labels.

The teacher reads with 8-bit products, as it is shipped, which is about three times as fast as in
bfloat16; its calibration lies beside its weights. It reads the rows that a student is trained on,
and recorded answers and their sentences, those first that tell most. What it has is written now
and then; the same command goes on with the rest.

With `--second FOLDER` the logits of public rows are mixed with those of an exported classifier,
such as the one that the student starts from: two that err in different places rank better than
either. What was written for this project is left to the teacher, who has learnt it.
"""

import argparse
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from export.build import bare_tokenizer, scorer_of
from export.calibration import read_calibration
from export.manifest import CLASSIFIER, LARGE, MODEL, sha256
from export.outputs import classifier_graph
from export.scorer import Scorer, open_session, whole
from train.labelling import earlier, waiting, write_on
from train.model import load, weights_sha256
from train.recipe import RECIPES
from train.rows import Row
from train.sampling import split_rows
from train.soft_labels import Logits, coded, short
from train.written import LICENCE

log = logging.getLogger("export.labelling")

CHUNK, TEACHER_SHARE = 1024, 0.7
Codes = Mapping[int, bytes]


def exported(weights: Path, base: Path) -> Scorer:
    """The teacher with 8-bit products. Raises ValueError where its calibration is of others."""
    graph = classifier_graph(load(weights, base), read_calibration(weights).ranges)
    return scorer_of(graph, bare_tokenizer(base), LARGE)


def opened(folder: Path) -> Scorer:
    """An exported classifier."""
    return Scorer(
        session=open_session(folder / MODEL),
        tokenizer=bare_tokenizer(folder),
        window_tokens=CLASSIFIER.window_tokens,
    )


def named(weights: Path, second: Path | None) -> str:
    """The SHA-256 of the weights, and of the second model where there is one."""
    return weights_sha256(weights) + (f" {sha256(second / MODEL)}" if second else "")


def is_public(row: Row) -> bool:
    """Whether people have labelled it, and not we."""
    return row.licence != LICENCE and any(target is not None for target in row.targets)


def judged(teacher: Scorer, second: Scorer | None, rows: Sequence[Row]) -> Logits:
    """Logits, [texts, heads]."""
    lines = whole(teacher, [row.text for row in rows])
    public = [place for place, row in enumerate(rows) if is_public(row)]
    if second and public:
        beside = whole(second, [rows[place].text for place in public])
        lines[public] = TEACHER_SHARE * lines[public] + (1 - TEACHER_SHARE) * beside
    return lines


def codes_of(rows: Sequence[Row], logits: Logits) -> Codes:
    """By the hash of the text."""
    lines = coded(logits)
    return {short(row.key): line.tobytes() for row, line in zip(rows, lines, strict=True)}


def chunks_of(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    return (rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK))


def labelled(
    read: Callable[[Sequence[Row]], Codes], chunks: Iterable[Sequence[Row]], threads: int
) -> Iterator[Codes]:
    """In the order of the chunks; when nobody asks on, at most `threads` of them are still read."""
    with ThreadPoolExecutor(threads) as pool:
        under_way: deque[Future[Codes]] = deque()
        for chunk in chunks:
            under_way.append(pool.submit(read, chunk))
            if len(under_way) > threads:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="export.labelling", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the normalised files")
    parser.add_argument("--weights", type=Path, required=True, help="folder of the teacher")
    parser.add_argument("--base", type=Path, required=True, help="folder of its encoder")
    parser.add_argument("--second", type=Path, help="folder of an exported classifier")
    parser.add_argument("--out", type=Path, required=True, help="file of the labels")
    parser.add_argument("--recipe", choices=sorted(RECIPES), default="distilling")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="when to stop")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    labels = earlier(options.out, named(options.weights, options.second))
    rows = waiting(split_rows(options.data, RECIPES[options.recipe]).training, labels)
    log.info("%d texts to read", len(rows))
    teacher = exported(options.weights, options.base)
    second = opened(options.second) if options.second else None

    def read(some: Sequence[Row]) -> Codes:
        return codes_of(some, judged(teacher, second, some))

    chunks = labelled(read, chunks_of(rows), options.threads)
    write_on(labels, chunks, options.out, options.minutes)


if __name__ == "__main__":
    main()
