"""The engine with the shipped classifier."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from guard.records import Unscored
from guard.scoring import (
    Catalogue,
    Engine,
    EngineOptions,
    ModelKind,
    find_model,
    open_embedder,
    open_engine,
)
from guard.scoring.catalogue import read_files

INSULT = "You are a stupid, worthless idiot and I hate you."
PROSE = "The train reaches the station near the old bridge every morning. "


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    model = Catalogue.installed().find("bundled")
    with open_engine(model, EngineOptions(workers=2)) as engine:
        yield engine


def run(script: str) -> subprocess.CompletedProcess[str]:
    """A program of its own, without the warning that forking beside threads now gives.

    It is not measured: a tracer of every line is one more thing that a fork may cut in two.
    """
    own = {key: value for key, value in os.environ.items() if not key.startswith("COVERAGE_")}
    return subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning", "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=own,
    )


def test_all_installed_models_are_what_their_manifests_say() -> None:
    catalogue = Catalogue.installed()
    assert {listing.name: listing.problem for listing in catalogue.list()} == {
        "nli-minilm": None,
        "sentence-minilm": None,
        "toxicity-stereotype-minilm": None,
    }
    models = [catalogue.find(listing.name) for listing in catalogue.list()]
    assert all(read_files(model).keys() == model.manifest.files.keys() for model in models)
    assert {model.manifest.task for model in models} == {
        ModelKind.CLASSIFICATION,
        ModelKind.EMBEDDING,
        ModelKind.NLI,
    }


def test_harm_is_told_from_none(engine: Engine) -> None:
    good, bad = (engine.submit(text).result(60) for text in (PROSE, INSULT))
    assert good.value("toxicity") < 0.5 < bad.value("toxicity")
    assert bad.value("sentiment") < good.value("sentiment")
    assert set(good.scores) == set(engine.heads)


DISGUISES = {
    "small capitals": "ʏᴏᴜ ᴀʀᴇ ᴀ ꜱᴛᴜᴘɪᴅ, ᴡᴏʀᴛʜʟᴇꜱꜱ ɪᴅɪᴏᴛ",
    "squared": "🅈🄾🅄 🄰🅁🄴 🄰 🅂🅃🅄🄿🄸🄳, 🅆🄾🅁🅃🄷🄻🄴🅂🅂 🄸🄳🄸🄾🅃",
    "Lisu": "ꓬꓳꓴ ꓮꓣꓰ ꓮ ꓢꓔꓴꓑꓲꓓ, ꓪꓳꓣꓔꓧꓡꓰꓢꓢ ꓲꓓꓲꓳꓔ",
    "tag characters": "".join(chr(0xE0000 + ord(each)) for each in INSULT),
    "references": "".join(f"&#{ord(each)};" for each in INSULT),
    "commas": " ".join(",".join(word) for word in INSULT.split()),
    "from right to left": f"\u202e{INSULT[::-1]}\u202c",
    "struck through": " ".join("~~".join(word) for word in INSULT.split()),
    "each letter struck through": "".join(
        f"~~{each}~~" if each != " " else each for each in INSULT
    ),
    "tags": "<b></b>".join(INSULT),
    "shown as it is written": f"\u202e\u202d{INSULT}",
    "isolated": f"\u202e\u2066{INSULT}",
    "a mark that some programs do not know": f"\u202e{INSULT}",
    "turned round by a tag": f"<bdo dir=rtl>{INSULT[::-1]}</bdo>",
    "turned round long before": "\u202e" + (PROSE * 60 + INSULT)[::-1],
    "invisible letters behind spaces": INSULT.replace(" ", " \U000e0061"),
    "invisible letters": "\U000e0041".join(INSULT),
    "references with zeros": "".join(f"&#{ord(each):040};" for each in INSULT),
    "tags with words": "".join(f'<i title="so nice">{each}</i>' for each in INSULT),
    "empty tags": INSULT.replace("stupid", "stu<>pid").replace("idiot", "id<>iot"),
    "links": INSULT.replace("stupid", "[stu](u)[pid](u)").replace("idiot", "[id](u)[iot](u)"),
    "links by reference": INSULT.replace("id", "i[d][1]") + "\n\n[1]: https://example.com",
    "variation selectors": ("\ufe0f" * 20).join(INSULT),
    "accents": ("\u0301" * 16).join(INSULT),
    "zero-width spaces by the thousand": ("\u200b" * 1000).join(INSULT),
    "a style": INSULT.replace("id", "i<style>p {}</style>d"),
    "hidden elements": INSULT.replace("id", "i<span hidden>kind words</span>d"),
    "backspaces": "".join(f"x\b{each}" for each in INSULT),
    "outlined": "".join(
        chr(0x1CCD6 + ord(each) - ord("a")) if each.isalpha() else each for each in INSULT.lower()
    ),
    "a value of JSON": f'{{"city": "{INSULT}", "days": 1}}',
    "controls": " ".join("\x1f".join(word) for word in INSULT.split()),
    "a control sign of eight bits": INSULT.replace("id", "i\x9bd"),
    "foreign words": INSULT.rstrip(".") + ", le la les du et dans pour aux des une.",
    "foreign words between": "You le are la a les stupid du worthless dans idiot pour des.",
}


@pytest.mark.parametrize("text", DISGUISES.values(), ids=DISGUISES)
def test_a_disguised_insult_is_heard(engine: Engine, text: str) -> None:
    found = engine.submit(text).result(60)
    heard = [passage.values["toxicity"] for passage in found.passages]
    assert max([found.value("toxicity") or 0.0, *heard]) > 0.5


@pytest.mark.parametrize("foreign", ["Привет! ", "ポスターの文はこちらです。\n\n"])
def test_a_sentence_in_another_language_hides_no_disguised_insult(
    engine: Engine, foreign: str
) -> None:
    doubled = "".join(2 * one if one.isalpha() else one for one in INSULT)
    found = engine.submit(f"{foreign}{doubled}").result(60)
    assert max(passage.values["toxicity"] for passage in found.passages) > 0.5


@pytest.mark.parametrize(
    "text",
    [
        "Привет! Here is the list:\n- milk\n- eggs\n- bread\n- two kilos of apples",
        "こちらです。\n\nC-A-T spells cat, and D-O-G spells dog.",
        "Hier ist die Übersetzung:\n\nThe weather will be fine tomorrow, with some wind.",
        "Claro, aquí está:\n\n1. Preheat the oven. 2. Mix flour and butter. 3. Bake it.",
        "Merci! Sooooo good, yummmm. We loooved it.",
    ],
)
def test_what_is_harmless_beside_one_stays_so(engine: Engine, text: str) -> None:
    found = engine.submit(text).result(60)
    assert max([0.0, *(passage.values["toxicity"] for passage in found.passages)]) < 0.5


@pytest.mark.parametrize(
    "sign", ["😡", "👉🏼", "✅", "1️⃣", "🇩🇪", "﹦", "¯\\_(ツ)_/¯", "ꚠ", "😡😡😡"]
)
def test_a_sign_that_the_model_does_not_know_hides_no_word(engine: Engine, sign: str) -> None:
    plain = engine.submit(INSULT).result(60).value("toxicity")
    assert plain is not None
    for text in (
        f"{sign} {INSULT}",
        f"{sign}{INSULT}",
        f"{INSULT} {sign}",
        f"{INSULT[:-1]}{sign}.",
    ):
        found = engine.submit(text).result(60)
        heard = [passage.values["toxicity"] for passage in found.passages]
        assert max([found.value("toxicity") or 0.0, *heard]) > plain - 0.05, text


def test_signs_alone_cannot_be_read(engine: Engine) -> None:
    assert engine.submit("😡 👉").result(60).reason is Unscored.UNREADABLE


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("မြန်မာဘာသာစကားသည် ရုံးသုံးဘာသာစကား", Unscored.LANGUAGE),
        ("ꚠꚢꚣꚤ ꚥꚦꚧ", Unscored.UNREADABLE),
        ("\ue000\ue001", Unscored.UNREADABLE),
        ("\u200b", Unscored.EMPTY),
        ("Der Arzt hat gesagt, dass die Kinder nach dem Essen schlafen sollen.", Unscored.LANGUAGE),
    ],
)
def test_what_cannot_be_read_has_no_score_and_says_why(
    engine: Engine, text: str, reason: Unscored
) -> None:
    found = engine.submit(text).result(60)
    assert found.reason is reason
    assert found.value("toxicity") is None
    assert found.passages == ()


def test_the_sentence_is_found_in_a_long_text(engine: Engine) -> None:
    text = PROSE * 30 + INSULT + " " + PROSE * 30
    found = engine.submit(text).result(120)
    assert found.reason is None
    assert found.value("toxicity") > 0.5
    worst = max(found.passages, key=lambda one: one.values["toxicity"])
    assert text[worst.span.start : worst.span.end] == INSULT
    window = found.scores["toxicity"].span
    assert window.start <= worst.span.start
    assert worst.span.end <= window.end


def test_a_text_gets_the_same_scores_alone_and_in_company(engine: Engine) -> None:
    texts = [PROSE * n + INSULT * (n % 2) for n in range(1, 9)]
    together = [future.result(60) for future in [engine.submit(text) for text in texts]]
    with open_engine(Catalogue.installed().find("bundled"), EngineOptions(workers=1)) as lone:
        for text, one in zip(texts, together, strict=True):
            again = lone.submit(text).result(60)
            assert again.value("toxicity") == pytest.approx(one.value("toxicity"), abs=0.05)


def test_a_deadline_leaves_a_part_and_says_which(engine: Engine) -> None:
    text = PROSE * 10_000
    with engine.beside(EngineOptions(workers=1)) as unhurried:  # knows no pace to refuse it by
        found = unhurried.submit(text, deadline_seconds=0.3).result(30)
    assert found.reason is Unscored.DEADLINE
    assert found.uncovered[-1].end == len(text)


async def test_small_texts_pass_a_huge_one_and_the_loop_runs_on(engine: Engine) -> None:
    huge = asyncio.wrap_future(engine.submit(PROSE * 8_000))
    small = [asyncio.wrap_future(engine.submit(f"Hello number {n}.")) for n in range(8)]
    found = await asyncio.wait_for(asyncio.gather(*small), 30)
    assert {one.reason for one in found} == {None}
    assert not huge.done()
    huge.cancel()


PADDINGS = {"quotes": '"', "spaced": "' ", "sentences": ". ", "mixed": "\"'`", "curly": "“”"}


@pytest.mark.parametrize("mark", PADDINGS.values(), ids=PADDINGS)
@pytest.mark.parametrize("before", [False, True])
def test_marks_by_the_thousand_take_no_time_and_hide_nothing(
    engine: Engine, mark: str, before: bool
) -> None:
    padding, tokens = mark * 9000, engine.stats().tokens
    found = engine.submit(f"{padding * before} {INSULT} {padding}").result(60)
    assert max(passage.values["toxicity"] for passage in found.passages) > 0.5
    assert engine.stats().tokens - tokens < 5000


@pytest.mark.parametrize("letter", ["z", "A", "1"])
def test_so_do_letters_by_the_thousand(engine: Engine, letter: str) -> None:
    tokens = engine.stats().tokens
    found = engine.submit(f"{letter * 50_000} {INSULT}").result(60)
    assert max(passage.values["toxicity"] for passage in found.passages) > 0.5
    assert engine.stats().tokens - tokens < 1000


def test_a_text_that_was_scored_before_is_read_in_every_way_again(engine: Engine) -> None:
    text = INSULT.replace("stupid", "stu<x-y>pid").replace("idiot", "id<x-y>iot")
    first, second = (engine.submit(text).result(60) for _ in range(2))
    assert first.value("toxicity") == second.value("toxicity")
    assert first.passages == second.passages


def test_vectors_of_like_texts_are_near() -> None:
    names = [one.name for one in Catalogue.installed().list() if one.model]
    (name,) = (
        name
        for name in names
        if Catalogue.installed().find(name).manifest.task is ModelKind.EMBEDDING
    )
    embedder = open_embedder(Catalogue.installed().find(name))
    vectors = embedder.embed(["A cat sits.", "A kitten is sitting.", "Taxes rise.", ""])
    assert vectors.shape == (4, 384)
    assert vectors.dtype == np.float32
    assert np.isfinite(vectors).all()
    near, far = vectors[0] @ vectors[1], vectors[0] @ vectors[2]
    assert near > far


def test_a_vector_is_that_of_its_text_alone() -> None:
    embedder = open_embedder(find_model("sentence-minilm"))
    texts = ["A cat sits.", "A dog runs.", "Taxes rise again, and nobody is glad of it.", "No", ""]
    together = embedder.embed([*texts, *texts[::-1], *["A cow eats."] * 40])
    alone = np.concatenate([embedder.embed([text]) for text in texts])
    assert np.array_equal(together[: len(texts)], alone)
    assert np.array_equal(together[len(texts) : 2 * len(texts)], alone[::-1])


PRELUDE = f"""
import faulthandler, os, sys
from guard.scoring import Catalogue, EngineOptions, open_engine
engine = open_engine(Catalogue.installed().find("bundled"), EngineOptions(workers=2))
insult = {INSULT!r}
"""


def test_onnx_runtime_reports_to_nobody_and_the_environment_stays() -> None:
    done = run(
        "import os\nbefore = dict(os.environ)\n"
        + PRELUDE
        + "print(dict(os.environ) == before, len(os.listdir('/proc/self/task')))\n"
    )
    alone = run("import numpy, os\nprint(True, len(os.listdir('/proc/self/task')))\n")
    assert done.stdout == alone.stdout


def test_a_child_process_scores_with_workers_of_its_own() -> None:
    done = run(
        PRELUDE
        + """
before = engine.submit(insult).result(60)
child = os.fork()
if child == 0:
    after = engine.submit(insult + " Really.").result(60)
    print(after.reason, after.value("toxicity") > 0.5, engine.stats().cache_hits, flush=True)
    sys.exit(0)
_, status = os.waitpid(child, 0)
print(engine.submit(insult + " Still.").result(60).reason, status)
"""
    )
    assert (done.stdout, done.stderr) == ("None True 0\nNone 0\n", "")


def test_a_fork_in_the_middle_of_work_does_not_hang() -> None:
    done = run(
        PRELUDE
        + """
busy = [engine.submit(f"{n} " + insult * 40) for n in range(20)]
children = []
for _ in range(4):
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(60, exit=True)  # should it hang, say where
        os._exit(engine.submit(insult).result(50).reason is not None)
    children.append(child)
print([os.waitpid(child, 0)[1] for child in children])
engine.close()
"""
    )
    assert (done.stdout, done.stderr) == ("[0, 0, 0, 0]\n", "")


@pytest.mark.parametrize("ending", ["", "del engine", "engine.close()", "raise SystemExit(0)"])
def test_a_busy_engine_does_not_hold_up_the_end_of_the_program(ending: str) -> None:
    done = run(PRELUDE + f"futures = [engine.submit(insult * 400) for _ in range(9)]\n{ending}\n")
    assert (done.returncode, done.stderr) == (0, "")
