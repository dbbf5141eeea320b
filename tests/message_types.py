"""TypeScript types of the messages between page and server, with which the page's modules are checked.

`python tests/message_types.py` writes them to boardgames/web/messages.d.ts.
"""

import inspect
import types
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from boardgames import picture
from boardgames.web import messages

PATH = Path(messages.__file__).with_suffix(".d.ts")
HEAD = """\
// The messages between the page and the server, and the pictures in them, for the checks of the page.
// tests/message_types.py makes this file from messages.py and the dataclasses that it uses.
"""
SIMPLE = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
    msgspec.UnsetType: "undefined",
    msgspec.Raw: "Picture",
    object: "unknown",
}


def written(hint: object) -> str:
    """Return a Python type as TypeScript."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is messages.PictureChanges:
        return "Partial<Picture>"
    if isinstance(hint, type) and hint in SIMPLE:
        return SIMPLE[hint]
    if origin is Literal:
        return " | ".join(f'"{choice}"' for choice in arguments)
    if origin in (Union, types.UnionType):
        return " | ".join(dict.fromkeys(map(written, arguments)))
    if origin is tuple and arguments[-1] is not Ellipsis:
        return f"[{', '.join(map(written, arguments))}]"
    if origin in (list, tuple, frozenset):
        element = written(arguments[0])
        return f"({element})[]" if " | " in element else f"{element}[]"
    if origin in (dict, Mapping):
        return f"Record<string, {written(arguments[1])}>"
    if isinstance(hint, type) and (is_dataclass(hint) or issubclass(hint, msgspec.Struct)):
        return hint.__name__
    raise TypeError(f"no type of TypeScript is known for {hint}")


def interface(name: str, owner: type, fields: Mapping[str, str]) -> str:
    """Return the interface of a class, with the first line of its docstring."""
    summary = (inspect.getdoc(owner) or "").partition("\n")[0]
    lines = "".join(f"  {field}: {kind};\n" for field, kind in fields.items())
    return f"/** {summary} */\nexport interface {name} {{\n{lines}}}\n"


def tag_of(message: type[msgspec.Struct]) -> str | None:
    """Return the `type` of a message, or None for parts of messages and base classes."""
    tag = message.__struct_config__.tag
    return None if tag is None or tag == message.__name__ else str(tag)


def fields_of_message(message: type[msgspec.Struct]) -> dict[str, str]:
    """Return the fields of a message; the page may leave out fields that have a default."""
    hints = get_type_hints(message)
    tag = tag_of(message)
    is_from_page = issubclass(message, (messages._Request, messages.SeatRequest))
    found = {} if tag is None else {"type": f'"{tag}"'}
    for field in msgspec.structs.fields(message):
        kind = written(hints[field.name])
        may_lack = field.default is msgspec.UNSET or (is_from_page and not field.required)
        found[field.name + ("?" if may_lack else "")] = kind.removesuffix(" | undefined")
    return found


def fields_of_dataclass(owner: type) -> dict[str, str]:
    """Return the fields of a dataclass, and what `picture_json` adds to those of a picture."""
    found = {name: written(hint) for name, hint in get_type_hints(owner).items()}
    if owner is picture.Picture:
        found |= {"bounds": written(tuple[float, float, float, float]), "description": written(str)}
    return found


def defined(module: types.ModuleType) -> Iterator[type[Any]]:
    """Yield the public classes that a module defines, in their order."""
    for name, value in vars(module).items():
        if isinstance(value, type) and value.__module__ == module.__name__ and not name.startswith("_"):
            yield value


def shared() -> Iterator[type[Any]]:
    """Yield the dataclasses from other modules that are parts of messages, apart from pictures."""
    for value in vars(messages).values():
        if isinstance(value, type) and is_dataclass(value) and value.__module__ != picture.__name__:
            yield value


def union(name: str, members: list[type]) -> str:
    """Return a union type of messages."""
    return "\n  | ".join([f"export type {name} =", *(one.__name__ for one in members)]) + ";\n"


def message_types() -> str:
    """Return the file of types."""
    structs = [one for one in defined(messages) if one is not messages.Reply]
    tagged = [one for one in structs if tag_of(one) is not None]
    requests = [one for one in tagged if issubclass(one, messages._Request)]
    replies = [one for one in tagged if not issubclass(one, messages._Request)]
    parts = [interface(one.__name__, one, fields_of_dataclass(one)) for one in (*defined(picture), *shared())]
    parts += [interface(one.__name__, one, fields_of_message(one)) for one in structs]
    return "\n".join([HEAD, *parts, union("Request", requests), union("Message", replies)])


if __name__ == "__main__":
    PATH.write_text(message_types(), "utf-8")
