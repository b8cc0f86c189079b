import json

import pytest

from guard.errors import ModelError
from guard.importing.storage import ModelStorage
from guard.scoring import IMPORTED_VARIABLE, Catalogue, imported_models
from tests.unit.cli.test_models_and_config import MANIFEST


@pytest.fixture
def storage(tmp_path):
    return ModelStorage(root=tmp_path / "models")


def put(storage, name="toxic", version="1.0"):
    with storage.staged(name) as folder:
        manifest = json.dumps(MANIFEST | {"name": name, "version": version})
        (folder / "manifest.json").write_text(manifest)


def interrupted(storage):
    with storage.staged("toxic") as folder:
        (folder / "manifest.json").write_text("{}")
        raise KeyboardInterrupt


def names(storage):
    return [listing.name for listing in Catalogue(storage.root).list()]


def test_a_model_appears_when_it_is_whole(storage):
    with storage.staged("toxic") as folder:
        (folder / "manifest.json").write_text(json.dumps(MANIFEST))
        assert names(storage) == []
    assert names(storage) == ["toxic"]
    assert storage.find("toxic").manifest.name == "tiny"


def test_what_fails_leaves_the_catalogue_as_it_was(storage):
    put(storage, version="1.0")
    before = sorted(storage.root.rglob("*"))
    with pytest.raises(KeyboardInterrupt):
        interrupted(storage)
    assert sorted(storage.root.rglob("*")) == before
    assert storage.find("toxic").manifest.version == "1.0"


def test_a_model_is_replaced_as_a_whole(storage):
    put(storage, version="1.0")
    put(storage, version="2.0")
    assert storage.find("toxic").manifest.version == "2.0"
    assert names(storage) == ["toxic"]


def test_a_model_about_to_be_replaced_comes_back_where_nothing_took_its_place(storage):
    """A process killed between the two steps of a replacement leaves this."""
    put(storage, version="1.0")
    partial = storage.root / ".partial"
    partial.mkdir()
    (storage.root / "toxic").rename(partial / "toxic.replaced")
    put(storage, name="other")
    assert storage.find("toxic").manifest.version == "1.0"
    assert names(storage) == ["other", "toxic"]


def test_what_a_killed_process_left_is_not_seen_and_goes_with_the_next_one(storage):
    left = storage.root / ".partial" / "dead"
    left.mkdir(parents=True)
    (left / "manifest.json").write_text(json.dumps(MANIFEST))
    assert names(storage) == []
    put(storage)
    assert not left.exists()


def test_a_second_import_at_the_same_time_is_refused(storage):
    with storage.staged("toxic"), pytest.raises(ModelError, match="under way"):
        put(storage, "other")


def test_a_model_is_removed(storage):
    put(storage)
    assert storage.remove("toxic") == storage.root / "toxic"
    assert names(storage) == []
    with pytest.raises(ModelError, match="there are: none"):
        storage.remove("toxic")


@pytest.mark.parametrize("name", ["", "Upper", "../up", "a/b", ".hidden", "bundled", "large"])
def test_some_names_are_none(storage, name):
    with pytest.raises(ModelError, match="--name"):
        storage.check_name(name, replace=True)
    with pytest.raises(ModelError, match="no imported model"):
        storage.find(name)


def test_a_name_is_taken_unless_its_model_is_to_be_replaced(storage):
    put(storage)
    storage.check_name("toxic", replace=True)
    with pytest.raises(ModelError, match="--replace"):
        storage.check_name("toxic", replace=False)


def test_where_imported_models_are(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv(IMPORTED_VARIABLE, raising=False)
    assert imported_models() == tmp_path / "evenguard" / "models"
    monkeypatch.setenv(IMPORTED_VARIABLE, str(tmp_path / "here"))
    assert imported_models() == tmp_path / "here"
