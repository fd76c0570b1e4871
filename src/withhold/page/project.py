"""What was chosen for a file so far: a policy file beside it, which the command line takes as well.

The page keeps nothing else. Lists of items are files of their own, because items may hold commas.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from withhold.errors import InputError, OutputError, PolicyError
from withhold.method import Method, Model
from withhold.options import Declared
from withhold.page.folder import UPLOADED, Folder
from withhold.page.words import WORDS
from withhold.registry import all_methods, method_named

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
SEED_BITS = 32


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
        try:
            text = self.policy_path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return {}
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"is not valid TOML: {error}", path=self.policy_path) from error

    def change(self, changes: Mapping[str, Any]) -> None:
        """Save choices; None, nothing and no take a key out."""
        policy = {**self.read(), **changes}
        policy = {key: value for key, value in policy.items() if value not in (None, "", [], ())}
        if (model := policy.get("model")) is not None:
            taken = {each.spelling for each in method_named(model).all_options().values()}
            policy = {
                key: value
                for key, value in policy.items()
                if key in taken or key in OF_EVERY_MODEL or key == "model"
            }
        policy.setdefault("seed", secrets.randbits(SEED_BITS))
        write_policy(self.policy_path, policy)

    @property
    def kind(self) -> str | None:
        """Records, a table or people, once that was said."""
        return None if self.method is None else self.method.data

    @property
    def method(self) -> Method | None:
        name = self.read().get("model")
        return None if name is None else method_named(name)

    def items(self, key: str) -> list[str]:
        """The items that a list of the policy names."""
        given = self.read().get(key)
        if given is None:
            return []
        if isinstance(given, list):
            return [str(each) for each in given]
        path = self.policy_path.parent / str(given)
        if not path.resolve().is_relative_to(self.folder.root) or not path.is_file():
            return [name for name in str(given).split(",") if name.strip()]
        from withhold.formats.items import read_item_list

        return sorted(read_item_list(path)) if path.stat().st_size else []

    def list_items(self, key: str, names: list[str]) -> None:
        """Save a list of items."""
        from withhold.formats.items import as_listed

        path = self.policy_path.with_suffix(f".{key}.txt")
        if names:
            _save(path, "".join(f"{as_listed(name)}\n" for name in sorted(set(names))))
        self.change({key: path.name if names else None})

    def model(self) -> Model:
        """The model as it was chosen; raises where something is missing."""
        method = self.method
        if method is None:
            raise PolicyError(WORDS["project.no_model"])
        policy = self.read()
        chosen: dict[str, Any] = {}
        for name, declared in method.parameters().items():
            if declared.spelling in policy:
                chosen[name] = self._value(declared, policy[declared.spelling])
        missing = [
            each
            for each in method.takes().values()
            if each.is_required and each.spelling not in policy
        ]
        if missing:
            label = label_of(missing[0])
            raise PolicyError(WORDS["project.missing"].format(option=label))
        made: Model = method.model(**chosen)
        return made

    def _value(self, declared: Declared, written: Any) -> Any:
        match declared.option.kind:
            case "items":
                return frozenset(self.items(declared.spelling))
            case "columns":
                return tuple(written)
            case "any":
                return None if written == "any" else written
        return written

    def key(self, *extra: Any, only: tuple[str, ...] | None = None) -> str:
        """A digest of the data's state and of the choices, to tell whether a result still fits."""
        status = self.data.stat()
        policy = {k: v for k, v in self.read().items() if only is None or k in only}
        lists = {
            key: self.items(key)
            for key in policy
            if only is None and str(policy[key]).endswith(f"{key}.txt")
        }
        text = json.dumps([policy, lists, status.st_mtime_ns, status.st_size, *extra], default=str)
        return hashlib.sha256(text.encode()).hexdigest()


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
        raise OutputError(f"{path.name} cannot be written: {error.strerror}") from error
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
