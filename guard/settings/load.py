"""The whole of guard.yaml, and how it is read: one clear error for each mistake."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from types import UnionType
from typing import (
    Annotated,
    Any,
    BinaryIO,
    Literal,
    TypeGuard,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

import yaml
from pydantic import BeforeValidator, Field, ValidationError
from pydantic_core import ErrorDetails

from guard.errors import SettingsError
from guard.settings.counterfactual import Counterfactual, lexicons_of
from guard.settings.sections import (
    AlarmWebhook,
    GatewaySettings,
    MetricsSettings,
    ModelSettings,
    ReviewSettings,
    Section,
    StoreSettings,
    UpstreamSettings,
    Variable,
)
from guard.settings.use_cases import Name, UseCase
from guard.settings.variables import is_secret

S = TypeVar("S", bound=Section)
LARGEST_FILE_BYTES = 1_000_000
MOST_VALUES = 1_000_000
_LAID_KEY_BY_KEY = ("policy", "shadow")


def _version(value: object) -> object:
    """1 is a version; `true` is not, though they are equal."""
    return repr(value) if isinstance(value, bool) else value


class Settings(Section):
    """The whole of guard.yaml.

    With no use case declared, every use case is accepted and judged by `defaults`; once one is
    declared, only declared ones are. A declared use case starts from `defaults`.
    """

    version: Annotated[Literal[1], BeforeValidator(_version)] = 1
    """Of the format of this file."""
    defaults: UseCase = Field(default_factory=UseCase)
    """What each use case starts from."""
    use_cases: dict[Name, UseCase] = Field(default_factory=dict)
    """Name, then what differs from `defaults`. Without any, every name is accepted."""
    scoring: ModelSettings = Field(default_factory=ModelSettings)
    store: StoreSettings | None = None
    metrics: MetricsSettings = Field(default_factory=MetricsSettings)
    review: ReviewSettings = Field(default_factory=ReviewSettings)
    upstreams: dict[Name, UpstreamSettings] = Field(default_factory=dict)
    gateway: GatewaySettings = Field(default_factory=GatewaySettings)
    deployment: Annotated[str, Field(max_length=200)] = ""
    """What is deployed (a version, a commit): a new one begins new epochs of evidence."""
    alarm_alpha: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 0.05
    """How likely an alarm is ever raised in a use case in which no group is treated differently,
    over all of its tests and however often they are looked at."""
    alarm_family: Literal["use_case", "all"] = "use_case"
    """Over what `alarm_alpha` is counted: `use_case`, for each use case by itself; `all`, once for
    all use cases together, so that each of them needs more evidence."""
    alarm_webhook: AlarmWebhook | None = None
    """Who is told of alarms; left out: nobody, and they stand in /metrics, in `guard status` and on
    the review page."""
    sampling_key_env: Variable | None = None
    """The environment variable with the secret that decides which calls are sampled; left out: one
    is made once and kept in the store."""
    counterfactual: Counterfactual = Field(default_factory=Counterfactual)


def load_settings(path: str | os.PathLike[str]) -> Settings:
    """Read `path`. Raises SettingsError that names the file, the key and what is allowed."""
    file = Path(path)
    text = _read(file)
    return parse_settings(text, source=str(file))


def read_yaml(file: Path) -> dict[Any, Any]:
    """The keys and values in a YAML file. Raises SettingsError that names the file."""
    data = _parse(_read(file), str(file))
    if not isinstance(data, dict):
        raise SettingsError(f"{file}: must hold keys and values, not {_kind(data)}")
    return data


def parse_settings(text: str, *, source: str = "guard.yaml") -> Settings:
    """Read the text of a guard.yaml. source: how errors name it. Raises SettingsError."""
    data = _parse(text, source)
    if not isinstance(data, dict):
        raise SettingsError(f"{source}: must hold keys and values, not {_kind(data)}")
    try:
        settings = Settings.model_validate(_with_defaults(data))
    except ValidationError as error:
        raise SettingsError("\n".join(_messages(error, source))) from None
    if settings.counterfactual != Counterfactual():
        with errors_name(source):
            lexicons_of(settings.counterfactual)
    return settings


def section_of(kind: type[S], values: Mapping[str, object], *, source: str) -> S:
    """One section made of these values. source: how errors name it. Raises SettingsError."""
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise SettingsError("\n".join(_messages(error, source))) from None


def _read(file: Path) -> str:
    try:
        with open(file, "rb", opener=_open_at_once) as stream:
            if not _ends(stream):
                raise SettingsError(f"{file}: is no file with an end, but a pipe or a device")
            content = stream.read(LARGEST_FILE_BYTES + 1)
        if len(content) > LARGEST_FILE_BYTES:
            raise SettingsError(f"{file}: larger than {LARGEST_FILE_BYTES} bytes")
        return content.decode("utf-8")
    except OSError as error:
        raise SettingsError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file}: not UTF-8: {error.reason} at byte {error.start}") from error


def _open_at_once(path: str, flags: int) -> int:
    """Opening a pipe that nobody writes to would wait for ever."""
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)
    return descriptor


def _ends(stream: BinaryIO) -> bool:
    """Whether it is a file, or what the shell gives in place of one: `<(...)`."""
    mode = os.fstat(stream.fileno()).st_mode
    has_no_name = not Path(os.path.realpath(stream.name)).exists()
    return stat.S_ISREG(mode) or (stat.S_ISFIFO(mode) and has_no_name)


@contextmanager
def errors_name(source: str | os.PathLike[str]) -> Iterator[None]:
    """A SettingsError of the block begins with the file that is at fault."""
    try:
        yield
    except SettingsError as error:
        raise SettingsError(f"{source}: {error}") from error


class _Loader(yaml.SafeLoader):
    """Safe YAML in which a key may stand only once, and a number means what it looks like."""


_MERGE = "tag:yaml.org,2002:merge"


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Hashable, Any]:
    """A key of a mapping goes before one that is merged into it (`<<`)."""
    seen: set[object] = set()
    for key_node in (key for key, _ in node.value if key.tag != _MERGE):
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, Hashable) or key in seen:
            problem = f"the key {key!r} stands twice" if isinstance(key, Hashable) else "bad key"
            raise yaml.constructor.ConstructorError(
                problem=problem, problem_mark=key_node.start_mark
            )
        seen.add(key)
    return loader.construct_mapping(node, deep=True)


def _whole_number(loader: _Loader, node: yaml.ScalarNode) -> int:
    """YAML 1.1 reads 0100 as 64 and 10:30 as 630: who writes these here means something else."""
    value: int = loader.construct_yaml_int(node)
    text = node.value.replace("_", "").lstrip("+-")
    if ":" in text or (text.isdigit() and text != str(abs(value))):
        raise _misread(node, value)
    return value


def _fraction(loader: _Loader, node: yaml.ScalarNode) -> float:
    value: float = loader.construct_yaml_float(node)
    if ":" in node.value:
        raise _misread(node, value)
    return value


def _misread(node: yaml.ScalarNode, value: float) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(
        problem=f"{node.value} would be read as {value}: write one of them as a plain number,"
        f' or text in quotation marks ("{node.value}")',
        problem_mark=node.start_mark,
    )


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
_Loader.add_constructor("tag:yaml.org,2002:int", _whole_number)
_Loader.add_constructor("tag:yaml.org,2002:float", _fraction)


def _values_in(node: yaml.Node | None, known: dict[yaml.Node, int]) -> int:
    """How many values it stands for, those of an alias at each place where it is named."""
    if node is None or isinstance(node, yaml.ScalarNode):
        return 1
    if node not in known:
        known[node] = MOST_VALUES  # for a node that holds itself
        parts = (
            chain.from_iterable(node.value) if isinstance(node, yaml.MappingNode) else node.value
        )
        known[node] = 1 + sum(_values_in(part, known) for part in parts)
    return known[node]


def _loaded(text: str) -> Any:
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if (count := _values_in(node, {})) >= MOST_VALUES:
            raise ValueError(
                f"with its aliases it has {count:,} values; {MOST_VALUES:,} are too many"
            )
        return None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()


def _parse(text: str, source: str) -> Any:
    try:
        data = _loaded(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise SettingsError(f"{source}{where}: not valid YAML: {error.problem}") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise SettingsError(f"{source}: not valid YAML: {error}") from None
    return {} if data is None else data


def _with_defaults(data: dict[Any, Any]) -> dict[Any, Any]:
    """Each use case laid over `defaults`, key by key, its policy and its shadow key by key too."""
    use_cases = data.get("use_cases")
    if not isinstance(use_cases, dict):
        return data
    defaults = data.get("defaults")
    base = defaults if isinstance(defaults, dict) else {}
    return {**data, "use_cases": {name: _laid(base, own) for name, own in use_cases.items()}}


def _laid(base: dict[Any, Any], own: Any) -> Any:
    own = {} if own is None else own
    if not isinstance(own, dict):
        return own
    merged = {
        key: {**base[key], **own[key]}
        for key in _LAID_KEY_BY_KEY
        if isinstance(base.get(key), dict) and isinstance(own.get(key), dict)
    }
    return {**base, **own, **merged}


def _messages(error: ValidationError, source: str) -> Iterable[str]:
    seen = set()
    for detail in error.errors(include_url=False):
        message = _message(detail, source)
        if message not in seen:
            seen.add(message)
            yield message


def _message(detail: ErrorDetails, source: str) -> str:
    loc = [str(part) for part in detail["loc"] if part != "[key]"]
    path = ".".join(loc)
    if detail["type"] == "extra_forbidden":
        return f"{source}: {path}: unknown key; {_suggestion(loc)}"
    if detail["loc"][-1:] == ("[key]",) and not isinstance(detail["input"], str):
        above = ".".join(loc[:-1])
        told = (
            f"{detail['input']!r} is no text: a name that YAML reads so (on, off, 1) needs quotes"
        )
        return f"{source}: {above}: {told}"
    if detail["type"] == "value_error" and isinstance(detail["input"], dict):
        return f"{source}: {path}: {_plain(detail['msg'])}"
    given = _kind(detail["input"], shown=not is_secret(loc))
    return f"{source}: {path}: {_plain(detail['msg'])}, got {given}"


def _plain(message: str) -> str:
    """A message of pydantic's without the words that speak of Python."""
    message = re.sub(r" or instance of \w+", "", message.removeprefix("Value error, "))
    message = message.replace("a valid dictionary", "keys and values")
    return message[:1].lower() + message[1:]


def _suggestion(loc: Sequence[str]) -> str:
    known = sorted(_section(loc).model_fields)
    close = get_close_matches(loc[-1], known, n=1)
    return f"did you mean `{close[0]}`?" if close else f"known keys: {', '.join(known)}"


def _section(loc: Sequence[str]) -> type[Section]:
    """The last section on the way to the key at `loc`."""
    found: type[Section] = Settings
    here: object = Settings
    for part in loc[:-1]:
        section = next(filter(_is_section, _types(here)), None)
        field = section.model_fields.get(part) if section else None
        here = field.annotation if field else _inside(here)
        found = next(filter(_is_section, _types(here)), found)
    return found


def _types(annotation: object) -> list[object]:
    """The alternatives of an annotation, bare."""
    if get_origin(annotation) is Annotated:
        return _types(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return [one for part in get_args(annotation) for one in _types(part)]
    return [annotation]


def _inside(container: object) -> object:
    """What the values of a dict or a list are."""
    for one in _types(container):
        if arguments := get_args(one):
            return arguments[-1]
    return None


def _is_section(one: object) -> TypeGuard[type[Section]]:
    return isinstance(one, type) and issubclass(one, Section)


def _kind(data: object, *, shown: bool = True) -> str:
    if isinstance(data, dict):
        return "keys and values"
    if isinstance(data, str) and not shown:
        return f"a text of {len(data)} characters (not shown: it could be a key)"
    return "a list" if isinstance(data, list) else repr(data)[:80]
