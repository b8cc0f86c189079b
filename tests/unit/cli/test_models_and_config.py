import json

import pytest

from guard.cli import models
from guard.cli.model_bench import Figures
from guard.cli.models import ModelCheck
from guard.scoring import Catalogue

MANIFEST = {
    "schema": 1,
    "name": "tiny",
    "version": "1.0",
    "task": "classification",
    "license": "Apache-2.0",
    "source": "made for a test",
    "languages": ["en"],
    "window_tokens": 128,
    "overlap_tokens": 16,
    "files": {"model.onnx": "0" * 64, "tokenizer.json": "1" * 64},
    "heads": [
        {"key": "toxicity", "scale": 1.0, "bias": 0.0, "threshold": 0.61, "harm": True},
        {"key": "stereotype", "scale": 1.0, "bias": 0.0, "threshold": 0.5, "harm": True},
        {"key": "sentiment", "scale": 1.0, "bias": 0.0, "threshold": None, "harm": False},
    ],
}


@pytest.fixture
def catalogue(tmp_path, monkeypatch):
    """Two models with good manifests but without their files, and a broken one."""
    embedder = MANIFEST | {"name": "vectors", "task": "embedding", "heads": [], "dimension": 384}
    for name, data in (("tiny", MANIFEST), ("vectors", embedder), ("worn", {"schema": 0})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text(json.dumps(data))
    found = Catalogue(tmp_path)
    monkeypatch.setattr(Catalogue, "installed", lambda: found)
    return found


def test_the_list_names_models_and_what_is_wrong_with_one(run, catalogue):
    shown = run("models", "list", env={"COLUMNS": "200"}).stdout
    assert "toxicity, stereotype, sentiment" in shown
    assert "384 numbers" in shown
    assert "worn" in shown
    assert "schema" in shown


def test_the_list_for_machines(run, catalogue):
    tiny, vectors, worn = json.loads(run("models", "list", "--json").stdout)
    assert tiny["heads"] == {"toxicity": 0.61, "stereotype": 0.5, "sentiment": None}
    assert (tiny["problem"], tiny["dimension"], vectors["dimension"]) == (None, None, 384)
    assert "schema" in worn["problem"]


def test_a_check_names_each_file_that_is_missing_and_fails(run, catalogue, tmp_path):
    result = run("models", "check")
    assert result.exit_code == 1
    assert str(tmp_path / "tiny" / "model.onnx") in result.stdout
    assert result.stdout.count("bad") == 3


def test_a_check_finds_a_changed_file(run, catalogue, tmp_path):
    for name in MANIFEST["files"]:
        (tmp_path / "tiny" / name).write_bytes(b"changed")
    (found,) = json.loads(run("models", "check", "--json", "tiny").stdout)
    assert not found["fine"]
    assert "SHA-256" in found["problem"]


def test_a_check_shows_what_a_fine_model_answers(run, catalogue, monkeypatch):
    monkeypatch.setattr(
        models, "check_model", lambda _, name: ModelCheck(name=name, answer="toxicity 0.1")
    )
    result = run("models", "check", "tiny")
    assert result.exit_code == 0
    assert "tiny: toxicity 0.1" in result.stdout


def test_a_check_scores_a_fixed_line(catalogue, monkeypatch, engine):
    monkeypatch.setattr(models, "open_engine", lambda model: FakeOpen(engine))
    assert models.check_model(catalogue, "tiny").answer == (
        "toxicity 0.000, stereotype 0.000, sentiment 0.000"
    )
    assert engine.texts == [models.FIXED_LINE]


class FakeOpen:
    def __init__(self, engine):
        self.engine = engine

    def __enter__(self):
        return self.engine

    def __exit__(self, *_):
        self.engine.close()


def test_an_unknown_model_is_one_of_those_there_are(run, catalogue):
    result = run("models", "check", "other")
    assert result.exit_code == 1
    assert "tiny" in result.stdout


def test_the_bench_for_people_and_machines(run, catalogue, monkeypatch):
    figures = Figures(
        model="tiny 1.0",
        workers=2,
        tokens_per_second=20_000,
        bare_tokens_per_second=21_000,
        engine_to_bare=0.95,
        short_text_ms=3.25,
    )
    asked = []
    monkeypatch.setattr(models, "measured", lambda model, **how: asked.append(how) or figures)
    shown = run("models", "bench", "tiny", "--rounds", 2).stdout
    assert "20,000 tokens/s" in shown
    assert "0.950" in shown
    assert json.loads(run("models", "bench", "tiny", "--json").stdout)["short_text_ms"] == 3.25
    assert asked == [{"texts": 100, "rounds": 2}, {"texts": 100, "rounds": 5}]


def checked(run, tmp_path, text):
    file = tmp_path / "guard.yaml"
    file.write_text(f"scoring: {{model: tiny}}\n{text}")
    return run("config", "check", file)


def test_the_second_look_is_explained_or_refused(run, catalogue, tmp_path):
    text = "scoring: {{model: tiny, second_look: {}}}"
    file = tmp_path / "guard.yaml"
    (tmp_path / "careful").mkdir()
    named = json.dumps(MANIFEST | {"name": "careful"})
    (tmp_path / "careful" / "manifest.json").write_text(named)
    file.write_text(text.format("careful"))
    shown = run("config", "check", file).stdout
    assert "second look: careful 1.0, threads: 1, margin: 0.1" in shown
    for name, message in (("tiny", "scores first"), ("vectors", "makes none of the scores")):
        file.write_text(text.format(name))
        result = run("config", "check", file)
        assert result.exit_code == 2
        assert f"{file}: scoring.second_look" in result.stderr
        assert message in result.stderr


def test_an_embedder_is_explained_or_refused(run, catalogue, tmp_path):
    file = tmp_path / "guard.yaml"
    (tmp_path / "pairs").mkdir()
    pairs = json.dumps(MANIFEST | {"name": "pairs", "task": "nli"})
    (tmp_path / "pairs" / "manifest.json").write_text(pairs)
    file.write_text("scoring: {model: tiny, embedder: vectors, nli: pairs}")
    shown = run("config", "check", file).stdout
    assert "embedder: vectors 1.0\nclassifier of pairs: pairs 1.0\n" in shown
    file.write_text("scoring: {model: tiny, embedder: tiny}")
    result = run("config", "check", file)
    assert result.exit_code == 2
    assert f"{file}: scoring.embedder: tiny makes no embeddings" in result.stderr


def test_claims_are_explained_or_what_they_lack_is_said(run, catalogue, tmp_path, monkeypatch):
    monkeypatch.setattr("guard.bootstrap.scorers.shipped_pair_classifier", lambda: None)
    text = "use_cases: {chat: {shadow: {share: 0.5, attributes: [gender], claims: true}}}\n"
    result = checked(run, tmp_path, text)
    assert result.exit_code == 2
    assert "guard.yaml: use_cases.chat.shadow.claims: needs a classifier of pairs" in result.stderr
    (tmp_path / "pairs").mkdir()
    pairs = json.dumps(MANIFEST | {"name": "pairs", "task": "nli"})
    (tmp_path / "pairs" / "manifest.json").write_text(pairs)
    file = tmp_path / "guard.yaml"
    file.write_text(f"scoring: {{model: tiny, nli: pairs}}\n{text}")
    shown = run("config", "check", file).stdout
    assert "classifier of pairs: pairs 1.0\n" in shown
    assert "for gender, generations: 2, claims compared, asked: the callable" in shown


def test_right_settings_are_explained(run, catalogue, tmp_path):
    result = checked(
        run,
        tmp_path,
        "use_cases:\n"
        "  chat: {policy: {toxicity: {flag: shipped, block: 0.9}}, deadline_ms: 250}\n"
        "  quiet: {mode: observe, on_block: raise, stream: {hold: full}}\n",
    )
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:10] == [
        "classifier: tiny 1.0, workers: one per core, cache: 16 MB",
        "second look: none",
        "store: none, nothing is kept",
        "chat: enforces",
        "  waits for scores at most 250 ms, holds sentence",
        "  without a score: release; blocked: answers with the fallback",
        "  toxicity at or above 0.61: flag",
        "  toxicity at or above 0.9: block",
        "  stereotype at or above 0.5: flag",
    ]
    assert result.stdout.count("  not shadowed") == 2
    assert "quiet: observes" in result.stdout
    assert "raises Blocked" in result.stdout


def test_what_is_kept_and_shadowed_is_explained(run, catalogue, tmp_path):
    shown = checked(
        run,
        tmp_path,
        "use_cases: {chat: {shadow: {share: 0.05, attributes: [gender], generations: 4}}}\n",
    ).stdout
    assert "store: sqlite:///evenguard.db, spool: evenguard-spool (64 MB)" in shown
    assert (
        "  0.05 of calls shadowed for gender, generations: 4, asked: the callable given to wrap"
        in shown
    )


@pytest.mark.parametrize(
    ("shadow", "said"),
    [
        (
            "attributes: [gender]",
            "  budget: 60 replies a minute, 1,000,000 tokens a day; a sampled call that names a"
            " group takes 4 to 6, and 10 more where flagged: about 10 to 15 compared a minute, as"
            " long as the tokens last",
        ),
        (
            "attributes: [gender, race], confirmations: 0",
            "a sampled call that names a group takes 4 to 8: about 7 to 15 compared a minute",
        ),
        (
            "attributes: [gender], control: false, confirmations: 0",
            "a sampled call that names a group takes 4: about 15 compared a minute",
        ),
        (
            "attributes: [gender], generations: 1, budget: {calls_per_minute: 7}",
            "takes 2 to 3, and 10 more where flagged: about 2 to 3 compared a minute",
        ),
    ],
)
def test_what_the_budget_is_enough_for_is_said(run, catalogue, tmp_path, shadow, said):
    settings = f"use_cases: {{chat: {{shadow: {{share: 0.05, {shadow}}}}}}}\n"
    assert said in checked(run, tmp_path, settings).stdout


def test_without_use_cases_the_defaults_are_explained(run, catalogue, tmp_path):
    result = checked(run, tmp_path, "")
    assert result.exit_code == 0
    assert "use cases: any, judged by the defaults" in result.stdout


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("use_case: {}\n", "use_case: unknown key; did you mean `use_cases`?"),
        ("defaults: {deadline_ms: 0}\n", "defaults.deadline_ms: "),
        ("defaults: {shadow: {share: 1}}\n", "defaults.shadow.share: is above 0, but no use case"),
        (
            "use_cases: {chat: {shadow: {share: 1, attributes: [shoes]}}}\n",
            "use_cases.chat.shadow.attributes: no attribute 'shoes'; there are [",
        ),
        (
            "use_cases: {chat: {shadow: {share: 1, by: {gender: [names]}}}}\n",
            "use_cases.chat.shadow.by: names do not tell 'gender', only race and religion",
        ),
        (
            "use_cases: {chat: {shadow: {share: 1, by: {race: [name]}}}}\n",
            "use_cases.chat.shadow.by.race.0: ",
        ),
        (
            "defaults: {policy: {toxicty: {flag: 0.5}}}\n",
            "defaults.policy.toxicty: not a harm score of this classifier; did you mean `toxicity`",
        ),
        ("store: {url: 'postgres://db/guard'}\n", "store.url: no store is called 'postgres'"),
        ("store: {url: 'sqlite://guard.db'}\n", "store.url: 'sqlite://guard.db' names no file"),
        ("store: {url: 'redis://:secret@h/zero'}\n", "store.url: must be redis://"),
        (
            "use_cases: {chat: {upstream: nope}}\n",
            "use_cases.chat.upstream: 'nope' is not declared under `upstreams` (declared: none)",
        ),
        (
            "upstreams: {main: {base_url: 'http://h/v1'}}\n"
            "use_cases: {chat: {}, other: {upstream: mian}}\n",
            "use_cases.other.upstream: 'mian' is not declared under `upstreams` (declared: main)",
        ),
        ("defaults: {upstream: nope}\n", "defaults.upstream: 'nope' is not declared"),
    ],
)
def test_wrong_settings_are_one_error_with_the_path(run, catalogue, tmp_path, text, says):
    result = checked(run, tmp_path, text)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"guard: {tmp_path / 'guard.yaml'}: {says}")
    assert result.stdout == ""


def test_what_was_not_checked_is_said(run, catalogue, tmp_path, monkeypatch):
    monkeypatch.setenv("SET_KEY", "x")
    monkeypatch.delenv("UNSET_KEY", raising=False)
    text = """
upstreams:
  main: {base_url: "http://h/v1", api_key_env: UNSET_KEY}
  other: {base_url: "http://h/v1", api_key_env: SET_KEY}
store: {url: "redis://h"}
sampling_key_env: UNSET_KEY
alarm_webhook: {url: "http://h/", headers_env: {authorization: UNSET_KEY}}
"""
    result = checked(run, tmp_path, text)
    assert result.exit_code == 0
    unset = "the environment variable UNSET_KEY is not set here"
    assert [line for line in result.stdout.splitlines() if line.startswith("not checked")] == [
        f"not checked: sampling_key_env: {unset}",
        f"not checked: upstreams.main.api_key_env: {unset}",
        f"not checked: alarm_webhook.headers_env.authorization: {unset}",
        "not checked: whether the store can be reached and written (store.url)",
        "not checked: whether the upstreams answer, and know their keys",
    ]


def test_a_key_in_the_place_of_a_variable_is_not_shown(run, catalogue, tmp_path):
    key = "gsk_4f8a9b2c3d4e5f6a7b"
    result = checked(run, tmp_path, f"sampling_key_env: {key}\n")
    assert result.exit_code == 0
    assert "sampling_key_env: the environment variable that it names" in result.stdout
    assert key not in result.output


def test_a_file_that_is_not_there_is_a_settings_error(run, catalogue, tmp_path):
    result = run("config", "check", tmp_path / "gone.yaml")
    assert result.exit_code == 2
    assert "gone.yaml: cannot be read: No such file" in result.stderr


def test_a_folder_that_cannot_be_written_is_told(run, catalogue, tmp_path):
    file = tmp_path / "a file"
    file.touch()
    text = f"store: {{url: 'sqlite:///{file}/guard.db', spool: '{file}/spool/deep'}}"
    result = checked(run, tmp_path, text)
    assert result.exit_code == 0
    assert [line for line in result.stdout.splitlines() if line.startswith("not usable")] == [
        f"not usable here: store.spool: {file}/spool/deep: nothing can be written in {file}",
        f"not usable here: store.url: {file} is no folder that can be written",
    ]
    text = f"store: {{url: 'sqlite:///{tmp_path}/guard.db', spool: '{tmp_path}/spool'}}"
    assert "not usable" not in checked(run, tmp_path, text).stdout


@pytest.mark.parametrize("code", ["English", "xx", "zh"])
def test_a_language_that_no_text_is_told_to_be_in_is_refused(run, code):
    """With it every text would be left without a score."""
    result = run("models", "import", "onnx:nowhere", "--name", "tiny", "--language", code)
    assert result.exit_code == 2
    assert "leave the option out for any language" in " ".join(result.stderr.split())


def test_codes_of_languages_may_be_in_capitals(run):
    result = run("models", "import", "onnx:nowhere", "--name", "tiny", "--language", "EN")
    assert "no text is told" not in result.stderr
