import json

import pytest

from guard.bootstrap.scorers import (
    claims_classifier,
    classifier_version,
    embedder_version,
    heads_of_models,
    models_of,
    pair_classifier_of,
    pair_classifier_version,
)
from guard.errors import ModelError, SettingsError
from guard.scoring import IMPORTED_VARIABLE, find_model
from guard.settings import parse_settings
from tests.unit.cli.test_models_and_config import MANIFEST


@pytest.fixture
def models(tmp_path, monkeypatch):
    """Two imported models, by their manifests alone: `both` and `stereotypes`."""
    monkeypatch.setenv(IMPORTED_VARIABLE, str(tmp_path))
    first, second, _ = MANIFEST["heads"]
    for name, heads in {"both": [first, second], "stereotypes": [second]}.items():
        (tmp_path / name).mkdir()
        manifest = json.dumps(MANIFEST | {"name": name, "heads": heads})
        (tmp_path / name / "manifest.json").write_text(manifest)
    return tmp_path


def shares(text):
    found = models_of(parse_settings(f"scoring: {text}").scoring)
    return {model.manifest.name: set(keys) for model, keys in found}


def test_one_model_makes_all_its_scores(models):
    assert shares("{model: both}") == {"both": {"toxicity", "stereotype"}}


def test_a_family_is_made_by_the_model_that_is_named_for_it(models):
    found = "{model: both, heads: {stereotype: stereotypes}}"
    assert shares(found) == {"both": {"toxicity"}, "stereotypes": {"stereotype"}}
    scoring = parse_settings(f"scoring: {found}").scoring
    assert list(heads_of_models(scoring)) == ["toxicity", "stereotype"]
    assert classifier_version(scoring) == "toxicity: both 1.0, stereotype: stereotypes 1.0"


def test_a_model_that_is_left_with_nothing_is_not_run(models):
    found = shares("{model: stereotypes, heads: {stereotype: both, toxicity: both}}")
    assert found == {"both": {"toxicity", "stereotype"}}


def test_the_shipped_model_goes_on_with_what_no_other_was_named_for(models):
    found = shares("{heads: {toxicity: both}}")["toxicity-stereotype-minilm"]
    assert {"stereotype", "stereotype.gender", "sentiment"} <= found
    assert not any(key.startswith("toxicity") for key in found)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ("{toxicity: stereotypes}", "scoring.heads.toxicity: stereotypes makes no such score"),
        ("{toxicity: nobody}", "scoring.heads.toxicity: .*no model there"),
    ],
)
def test_a_model_that_cannot_make_the_scores_is_refused(models, heads, message):
    with pytest.raises(SettingsError, match=message):
        shares(f"{{heads: {heads}}}")


def test_an_embedder_is_named_in_the_settings(models):
    assert embedder_version(parse_settings("").scoring) is None
    manifest = {**MANIFEST, "name": "vectors", "task": "embedding", "dimension": 8}
    (models / "vectors").mkdir()
    (models / "vectors" / "manifest.json").write_text(json.dumps(manifest))
    scoring = parse_settings("scoring: {embedder: vectors}").scoring
    assert embedder_version(scoring) == "vectors 1.0"


@pytest.mark.parametrize(
    ("name", "message"), [("both", "both makes no embeddings"), ("nobody", "no model there")]
)
def test_what_is_no_embedder_is_refused(models, name, message):
    with pytest.raises(SettingsError, match=f"scoring.embedder: .*{message}"):
        embedder_version(parse_settings(f"scoring: {{embedder: {name}}}").scoring)


def test_a_classifier_of_pairs_is_named_in_the_settings(models):
    assert pair_classifier_version(parse_settings("").scoring) is None
    (models / "pairs").mkdir()
    manifest = json.dumps(MANIFEST | {"name": "pairs", "task": "nli"})
    (models / "pairs" / "manifest.json").write_text(manifest)
    assert pair_classifier_version(parse_settings("scoring: {nli: pairs}").scoring) == "pairs 1.0"
    with pytest.raises(SettingsError, match=r"scoring\.nli: both is no classifier of pairs"):
        pair_classifier_version(parse_settings("scoring: {nli: both}").scoring)


CLAIMS = "use_cases: {chat: {shadow: {share: SHARE, claims: true}}}\n"


def write_pairs(models):
    (models / "pairs").mkdir()
    manifest = json.dumps(MANIFEST | {"name": "pairs", "task": "nli"})
    (models / "pairs" / "manifest.json").write_text(manifest)


def test_claims_are_checked_by_the_classifier_of_pairs_that_is_named(models):
    write_pairs(models)
    named = parse_settings(CLAIMS.replace("SHARE", "0.5") + "scoring: {nli: pairs}")
    found = claims_classifier(named)
    assert found is not None
    assert found.manifest.name == "pairs"
    assert claims_classifier(parse_settings("scoring: {nli: pairs}")) is None
    wrong = parse_settings(CLAIMS.replace("SHARE", "0.5") + "scoring: {nli: both}")
    with pytest.raises(SettingsError, match=r"scoring\.nli: both is no classifier of pairs"):
        claims_classifier(wrong)


def test_claims_need_a_classifier_of_pairs_where_calls_are_sampled(models, monkeypatch):
    monkeypatch.setattr("guard.bootstrap.scorers.shipped_pair_classifier", lambda: None)
    message = r"use_cases\.chat\.shadow\.claims: needs a classifier of pairs.*scoring\.nli: pairs"
    with pytest.raises(SettingsError, match=message):
        claims_classifier(parse_settings(CLAIMS.replace("SHARE", "0.5")))
    assert claims_classifier(parse_settings(CLAIMS.replace("SHARE", "0.0"))) is None


def test_a_classifier_of_pairs_that_is_shipped_stands_in_for_one_that_is_named(models, monkeypatch):
    write_pairs(models)
    shipped = find_model("pairs")
    monkeypatch.setattr("guard.bootstrap.scorers.shipped_pair_classifier", lambda: shipped)
    assert claims_classifier(parse_settings(CLAIMS.replace("SHARE", "0.5"))) is shipped
    assert pair_classifier_of(parse_settings("").scoring) is shipped
    assert pair_classifier_version(parse_settings("").scoring) is None


@pytest.mark.parametrize("heads", ["{Toxicity: a}", "{toxicity.insult: a}", "{toxicity: ''}"])
def test_heads_are_families(heads):
    with pytest.raises(SettingsError, match=r"scoring\.heads"):
        parse_settings(f"scoring: {{heads: {heads}}}")


def test_the_folder_of_a_model_may_be_under_home(models, monkeypatch):
    write_pairs(models)
    monkeypatch.setenv("HOME", str(models))
    assert find_model("~/pairs").folder == models / "pairs"


def test_a_folder_needs_no_installed_model(models, monkeypatch):
    write_pairs(models)
    monkeypatch.setattr("guard.scoring.catalogue._places", lambda *_: ())
    assert find_model(str(models / "pairs")).folder == models / "pairs"
    with pytest.raises(ModelError, match="~nobody-at-all/x"):
        find_model("~nobody-at-all/x")
