"""The files of one companion in one language, its own before the shared ones."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from companions.errors import PolicyError
from companions.texts import Variants, filled, placeholders, sections

SHARED = "shared/"
STATIC = frozenset({"companion", "subject"})  # filled when a text is read


class Folder:
    """Texts by path. A path is missing when neither the companion nor the shared folder has it.

    ``values`` are the companion's own name and subject, for ``{companion}`` and ``{subject}``.
    """

    def __init__(
        self,
        name: str,
        files: Mapping[str, str],
        language: str | None = None,
        values: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.name = name
        self.files = files
        self.values = values
        self.prefix = f"languages/{language}/" if language else ""

    def named(self, path: str) -> str:
        """``path`` as an error names it."""
        return f"{self.name}/{self.prefix}{path}"

    def text(self, path: str, allowed: Iterable[str] = ()) -> str:
        """The text at ``path``, with no placeholder but those allowed; raises when missing or empty."""
        found = [each for each in self._candidates(path) if each in self.files]
        if not found:
            raise PolicyError(self.named(path), "", "this file is missing")
        text = self.files[found[0]].strip()
        if not text:
            raise PolicyError(self.named(path), "", "this file is empty")
        if not path.endswith(".md"):
            return text
        self._check(path, "", text, allowed)
        return filled(text, self.values)

    def sections(self, path: str, allowed: Iterable[str] = ()) -> dict[str, Variants]:
        """The sections of the file at ``path``, the companion's own before the shared ones, none empty."""
        found: dict[str, Variants] = {}
        for each in self._candidates(path)[::-1]:
            found |= sections(self.files.get(each, ""))
        if not found:
            self.text(path)
            raise PolicyError(self.named(path), "", "has no section (a line that begins with ##)")
        for key, variants in found.items():
            if not variants:
                raise PolicyError(self.named(path), key, "this section is empty")
            self._check(path, key, " ".join(variants), allowed)
        return {key: tuple(filled(each, self.values) for each in variants) for key, variants in found.items()}

    def below(self, folder: str, ending: str) -> list[str]:
        """The companion's own paths in ``folder`` that end so, in order."""
        start = self.prefix + folder
        found = sorted(path for path in self.files if path.startswith(start) and path.endswith(ending))
        return [path.removeprefix(self.prefix) for path in found]

    def _candidates(self, path: str) -> tuple[str, ...]:
        if path.endswith(".toml"):  # data holds for every language that has none of its own
            return self.prefix + path, path, SHARED + path
        return self.prefix + path, SHARED + self.prefix + path

    def _check(self, path: str, key: str, text: str, allowed: Iterable[str]) -> None:
        if unknown := placeholders(text) - set(allowed) - STATIC:
            names = ", ".join(f"{{{name}}}" for name in sorted(unknown))
            raise PolicyError(self.named(path), key, f"{names} is no placeholder here")
