"""A value as a key of what is kept of it: the very same one, without comparing all it holds."""

from typing import Generic, TypeVar

T = TypeVar("T")


class Same(Generic[T]):
    """Equal to another of the same ``value`` alone. The value is frozen, and lives as long as this."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value  # pyright: ignore[reportUnknownMemberType]  # of any kind
