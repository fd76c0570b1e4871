"""What was chosen for a file so far: a policy file beside it, which the command line takes as well.

The page keeps nothing else. Lists of items are files of their own, because items may hold commas.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from withhold.errors import InputError, OutputError, PolicyError
from withhold.method import Method, Model
from withhold.options import Declared
from withhold.page.folder import UPLOADED, Folder
from withhold.page.words import WORDS
from withhold.registry import all_methods, method_named
from withhold.seeds import given_or_drawn

HEAD = (
    "# Written by withhold page; it is changed there whenever a choice is made.\n"
    "# Internal: it holds the seed.\n"
)
KINDS = ("records", "table", "people")
READING = (
    *("format", "separator", "record-column", "item-column", "encoding", "sheet", "decimal"),
    *("tidy", "skip-missing-ids", "items", "person-column"),
)
"""Keys that say how the file is read."""
OF_EVERY_MODEL = (*READING, "seed", "consent", "allow-unknown", "ids")
LIST_ENDING = ".sensitive.txt"
"""In place of that of the policy file."""
REMEMBERED = 16
"""How many policies and lists are remembered, as long as their files are the same."""


class IncompleteError(PolicyError):
    """Something has not been chosen yet, in one of the steps."""

    def __init__(self, option: str, *, step: str) -> None:
        super().__init__(WORDS["project.missing"].format(option=option))
        self.step = step


@dataclass(frozen=True)
class Project:
    """A file of the folder, and the policy that is being made for it."""

    folder: Folder
    name: str

    @property
    def data(self) -> Path:
        return self.folder.file(self.name)

    @property
    def policy_path(self) -> Path:
        """Beside the data; of an upload in the folder, since uploads are not kept."""
        return self.folder.path(f"{self.name.removeprefix(UPLOADED)}.page.toml")

    def read(self) -> dict[str, Any]:
        """The keys of the policy file."""
        state = _state(self.policy_path)
        return {} if state is None else dict(_policy_in(self.policy_path, state))

    def change(self, changes: Mapping[str, Any]) -> None:
        """Save choices; None, nothing and no take a key out."""
        policy = {**self.read(), **changes}
        if (model := policy.get("model")) is not None:
            options = method_named(model).all_options().values()
            listed = self.list_path.name if self.list_path.is_file() else None
            lists = [each.spelling for each in options if each.option.kind == "items"]
            policy |= dict.fromkeys(lists[:1], listed)
            taken = {"model", *OF_EVERY_MODEL, *(each.spelling for each in options)}
            policy = {key: value for key, value in policy.items() if key in taken}
        policy = {key: value for key, value in policy.items() if value not in (None, "", [], ())}
        policy["seed"] = given_or_drawn(policy.get("seed"))
        write_policy(self.policy_path, policy)

    @property
    def kind(self) -> str | None:
        """Records, a table or people, once that was said."""
        return None if self.method is None else self.method.data

    @property
    def method(self) -> Method | None:
        name = self.read().get("model")
        return None if name is None else method_named(name)

    @property
    def list_path(self) -> Path:
        """The list of sensitive items, one a line; it stays whatever the model calls it."""
        return self.policy_path.with_suffix(LIST_ENDING)

    def items(self) -> list[str]:
        """The items on the list."""
        state = _state(self.list_path)
        return [] if state is None else list(_items_in(self.list_path, state))

    def list_items(self, names: Iterable[str]) -> None:
        """Save the list."""
        from withhold.formats.items import as_listed

        if listed := sorted(set(names)):
            _save(self.list_path, "".join(f"{as_listed(name)}\n" for name in listed))
        else:
            self.list_path.unlink(missing_ok=True)
        self.change({})

    def model(self, changes: Mapping[str, Any] | None = None) -> Model:
        """The model as it was chosen, or as it would be; raises if something is missing."""
        policy = {k: v for k, v in {**self.read(), **(changes or {})}.items() if v is not None}
        if "model" not in policy:
            raise PolicyError(WORDS["project.no_model"])
        method = method_named(policy["model"])
        chosen: dict[str, Any] = {}
        for name, declared in method.parameters().items():
            if declared.spelling in policy:
                chosen[name] = self._value(declared, policy[declared.spelling])
        missing = [
            each
            for each in method.takes().values()
            if each.is_required and each.spelling not in policy
        ]
        # The steps ask in this order.
        for step in ("protect", "attack"):
            for each in missing:
                if (each.option.kind in ("items", "columns", "file")) == (step == "protect"):
                    raise IncompleteError(label_of(each), step=step)
        made: Model = method.model(**chosen)
        return made

    def _value(self, declared: Declared, written: Any) -> Any:
        match declared.option.kind:
            case "items":
                return frozenset(self.items())
            case "columns":
                return tuple(written)
            case "any":
                return None if written == "any" else int(written)
        return written

    def key(self, *extra: Any, only: tuple[str, ...] | None = None) -> str:
        """A digest of the data's state and of the choices, to tell whether a result still fits."""
        status = self.data.stat()
        policy = {k: v for k, v in self.read().items() if only is None or k in only}
        lists = self.items() if only is None else []
        text = json.dumps([policy, lists, status.st_mtime_ns, status.st_size, *extra], default=str)
        return hashlib.sha256(text.encode()).hexdigest()


def _state(path: Path) -> tuple[int, ...] | None:
    """Tells whether a file is still the one that was read; None if there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


@lru_cache(maxsize=REMEMBERED)
def _policy_in(path: Path, _: tuple[int, ...]) -> dict[str, Any]:
    """A policy file, parsed once: a request reads it a dozen times."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise InputError(WORDS["project.not_toml"].format(error=error), path=path) from error


@lru_cache(maxsize=REMEMBERED)
def _items_in(path: Path, _: tuple[int, ...]) -> tuple[str, ...]:
    from withhold.formats.items import read_item_list

    return tuple(sorted(read_item_list(path)))


def label_of(declared: Declared) -> str:
    """What the page calls an option."""
    return WORDS.get(f"option.{declared.name}", declared.spelling.replace("-", " "))


def first_method(kind: str) -> Method:
    """The method that is proposed for a kind of data."""
    return next(method for method in all_methods().values() if method.data == kind)


def write_policy(path: Path, policy: Mapping[str, Any]) -> None:
    """Write a policy file; one that somebody else wrote is not replaced."""
    if path.exists() and not path.read_text(encoding="utf-8").startswith(HEAD.split(";")[0]):
        raise OutputError(WORDS["project.foreign"].format(file=path.name))
    _save(path, HEAD + "".join(f"{key} = {_toml(value)}\n" for key, value in policy.items()))


def _save(path: Path, text: str) -> None:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.chmod(0o600)
        draft.replace(path)
    except OSError as error:
        words = WORDS["project.not_written"]
        raise OutputError(words.format(file=path.name, reason=error.strerror)) from error
    finally:
        draft.unlink(missing_ok=True)


def _toml(value: Any) -> str:
    """A value as TOML writes it, whose texts are those of JSON but for one character.

    >>> _toml("a\\x7f\\"b"), _toml([1, True])
    ('"a\\\\u007f\\\\"b"', '[1, true]')
    """
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
