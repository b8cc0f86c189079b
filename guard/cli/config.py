"""`guard config`: is a guard.yaml right, and what does it mean."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click

from guard.bootstrap import policies
from guard.bootstrap.scorers import (
    claims_classifier,
    classifier_version,
    embedder_version,
    heads_of,
    heads_of_models,
    model_version,
    pair_classifier_version,
)
from guard.bootstrap.second_look import check_heads, second_model
from guard.bootstrap.shadow import shadow_options
from guard.bootstrap.storage import store_settings
from guard.bootstrap.use_cases import (
    check_upstream_names,
    shadow_upstreams,
    shadowed,
    upstreams_of,
)
from guard.errors import SettingsError
from guard.gateway.checks import check_gateway
from guard.http.sockets import url_of
from guard.policy import AllowEntry, Policy
from guard.records import Head
from guard.settings import (
    Settings,
    ShadowSettings,
    StoreSettings,
    errors_name,
    lexicons_of,
    load_settings,
    shown_variable,
)
from guard.shadow.options import ShadowOptions
from guard.store import check_store_url
from guard.store.sqlite.schema import file_path


@click.group()
def config() -> None:
    """Check a guard.yaml."""


@config.command()
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> None:
    """Check FILE: every key, every value, every score against the classifier it names.

    Prints what the settings amount to, and what was not checked: nothing is opened and nobody is
    asked, and of the classifier only the manifest is read (`guard models check` verifies its
    files). Exit status 2, with the path in the file, if one is wrong.
    """
    settings = load_settings(file)
    with errors_name(file):
        heads = heads_of_models(settings.scoring)
    for line in _lines(file, settings, heads):
        click.echo(line)


def _lines(file: Path, settings: Settings, heads: Mapping[str, Head]) -> Iterator[str]:
    scoring = settings.scoring
    policy_of = _policies(file, settings, heads)
    shadows = _shadows(file, settings)
    asked, gateway = shadow_upstreams(settings), _gateway(file, settings)
    store = _describe_store(file, settings)
    workers = "one per core" if scoring.workers is None else scoring.workers
    yield f"{file}: valid"
    yield (
        f"classifier: {classifier_version(scoring)}, workers: {workers},"
        f" cache: {scoring.cache_mb:g} MB"
    )
    yield _second_look(file, settings, heads)
    yield from _models_beside(file, settings)
    yield store
    if not settings.use_cases:
        yield "use cases: any, judged by the defaults"
        yield from _describe_policy("defaults", policy_of("any"))
    for name in settings.use_cases:
        yield from _describe_policy(name, policy_of(name))
        if name in shadows:
            shadow = settings.use_cases[name].shadow
            yield _describe_shadow(shadow, asked.get(name))
            yield _describe_budget(shadow, shadows[name])
        else:
            yield "  not shadowed"
    yield gateway
    yield from _unchecked(settings)


def _policies(file: Path, settings: Settings, heads: Mapping[str, Head]) -> Callable[[str], Policy]:
    with errors_name(file):
        return policies(settings, heads)


def _second_look(file: Path, settings: Settings, heads: Mapping[str, Head]) -> str:
    scoring = settings.scoring
    with errors_name(file):
        if (second := second_model(scoring)) is None:
            return "second look: none"
        check_heads(heads, heads_of(second))
    return (
        f"second look: {second.manifest.name} {second.manifest.version}, threads:"
        f" {scoring.second_look_threads}, margin: {scoring.second_look_margin:g}"
    )


def _models_beside(file: Path, settings: Settings) -> Iterator[str]:
    with errors_name(file):
        embedder = embedder_version(settings.scoring)
        checks = claims_classifier(settings)
        named = pair_classifier_version(settings.scoring)
    pairs = named if checks is None else model_version(checks)
    if embedder is not None:
        yield f"embedder: {embedder}"
    if pairs is not None:
        yield f"classifier of pairs: {pairs}"


def _shadows(file: Path, settings: Settings) -> Mapping[str, ShadowOptions]:
    """How calls are shadowed, by use case; those that are not shadowed are missing."""
    with errors_name(file):
        found = shadowed(settings)
        if not found:
            return {}
        lexicons = lexicons_of(settings.counterfactual)
        return {name: shadow_options(name, one, lexicons) for name, one in found.items()}


def _describe_store(file: Path, settings: Settings) -> str:
    where = store_settings(settings)
    if where is None:
        return "store: none, nothing is kept"
    with errors_name(file):
        check_store_url(where.url)
    spool = f"spool: {where.spool} ({where.spool_mb:g} MB)"
    return f"store: {_without_password(where.url)}, {spool}, {_cases(settings)}"


def _cases(settings: Settings) -> str:
    review = settings.review
    if review.scores_only:
        texts = "scores and no texts"
    else:
        texts = "texts with contacts redacted" if review.redact else "texts as they are"
    days = review.retention_days
    return f"cases: {texts}, kept {'for ever' if days is None else f'{days} days'}"


def _without_password(url: str) -> str:
    return re.sub(r"(?<=://)[^@/]*@", "***@", url)


def _gateway(file: Path, settings: Settings) -> str:
    """What `guard serve` would do. Raises SettingsError where it is meant to run and could not."""
    section = settings.gateway
    with errors_name(file):
        check_upstream_names(settings)
    if not settings.upstreams and "gateway" not in settings.model_fields_set:
        return "gateway: none, no upstream is declared"
    try:
        check_gateway(settings)
    except SettingsError as error:
        if "gateway" in settings.model_fields_set:
            raise SettingsError(f"{file}: {error}") from error
        return f"gateway: none is declared, and `guard serve` would not start: {error}"
    asked = ", ".join(f"{name}: {one}" for name, one in upstreams_of(settings).items())
    keys = ", ".join(key.name for key in section.keys) or "none"
    return (
        f"gateway: {url_of(section.host, section.port)}, workers: {section.workers}, keys: {keys},"
        f" upstreams: {asked}"
    )


def _unchecked(settings: Settings) -> Iterator[str]:
    """What a file cannot tell: secrets that are not in this environment, and who answers."""
    for setting, variable in _variables(settings):
        if variable is not None and not os.environ.get(variable):
            shown = shown_variable(variable)
            yield f"not checked: {setting}: the environment variable {shown} is not set here"
    if (kept := store_settings(settings)) is not None:
        yield "not checked: whether the store can be reached and written (store.url)"
        yield from _unusable_folders(kept)
    if settings.upstreams:
        yield "not checked: whether the upstreams answer, and know their keys"


def _unusable_folders(kept: StoreSettings) -> Iterator[str]:
    """Folders that cannot be written on this machine, which may not be the one that serves."""
    spool = Path(kept.spool).expanduser()
    made_in = next(one for one in (spool, *spool.absolute().parents) if one.exists())
    if not _can_write(made_in):
        yield f"not usable here: store.spool: {spool}: nothing can be written in {made_in}"
    if kept.url.startswith("sqlite:") and not _can_write(folder := file_path(kept.url).parent):
        yield f"not usable here: store.url: {folder} is no folder that can be written"


def _can_write(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def _variables(settings: Settings) -> Iterator[tuple[str, str | None]]:
    """Settings that name an environment variable, and that variable."""
    yield "sampling_key_env", settings.sampling_key_env
    for name, upstream in settings.upstreams.items():
        yield f"upstreams.{name}.api_key_env", upstream.api_key_env
    for number, key in enumerate(settings.gateway.keys):
        yield f"gateway.keys.{number}.key_env", key.key_env
    if settings.alarm_webhook is not None:
        for header, variable in settings.alarm_webhook.headers_env.items():
            yield f"alarm_webhook.headers_env.{header}", variable


def _describe_shadow(shadow: ShadowSettings, upstream: str | None) -> str:
    asked = upstream or "the callable given to wrap"
    if upstream and shadow.upstream is None:
        asked = f"{upstream} for the gateway, else the callable given to wrap"
    attributes = ", ".join(shadow.attributes) or "all attributes of few groups"
    return (
        f"  {shadow.share:.3g} of calls shadowed for {attributes}, generations:"
        f" {shadow.generations}, {'claims compared, ' if shadow.claims else ''}asked: {asked}"
    )


def _describe_budget(shadow: ShadowSettings, options: ShadowOptions) -> str:
    """How many sampled calls it is enough for, since each costs several replies."""
    budget = shadow.budget
    fewest, most = options.replies_per_call
    replies = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    least, top = budget.calls_per_minute // most, budget.calls_per_minute // fewest
    calls = f"{top}" if least == top else f"{least} to {top}"
    again = f", and {2 * options.confirmations} more where flagged" if options.confirms else ""
    return (
        f"  budget: {budget.calls_per_minute:,} replies a minute, {budget.tokens_per_day:,} tokens"
        f" a day; a sampled call that names a group takes {replies}{again}: about {calls} compared"
        " a minute, as long as the tokens last"
    )


def _describe_policy(name: str, policy: Policy) -> Iterator[str]:
    deadline = policy.deadline_seconds
    waits = "without a deadline" if deadline is None else f"at most {deadline * 1000:g} ms"
    blocked = "raises Blocked" if policy.raises else "answers with the fallback"
    does = "passes unread" if policy.off else "enforces" if policy.enforce else "observes"
    yield f"{name}: {does}"
    yield f"  waits for scores {waits}, holds {policy.hold.value}"
    yield f"  without a score: {policy.on_unscored.value}; blocked: {blocked}"
    if (prompt := policy.prompt) is not None:
        then = "blocks" if prompt.may_withhold else "flags" if prompt.enforce else "observes"
        yield f"  prompts: {then}"
    for rule in policy.rules:
        yield f"  {rule.score} at or above {rule.threshold:.3g}: {rule.action.value}"
    yield from map(_describe_entry, policy.allow)
    for rule in policy.candidate or ():
        yield f"  candidate: {rule.score} at or above {rule.threshold:.3g}: {rule.action.value}"


def _describe_entry(entry: AllowEntry) -> str:
    """A single word can be said of anybody, as no second score can tell."""
    alone = entry.folded and len(entry.name.split()) == 1
    advice = f" (a single word: 'You are {entry.name}.' passes too; allow a longer phrase)"
    return f"  allows {entry.name!r}{advice if alone else ''}"
