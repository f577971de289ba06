"""Attributes that are worked out when they are first asked for, and kept."""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

V = TypeVar("V")


class once(Generic[V]):  # noqa: N801  # stands where a decorator does, like `property`
    """Works an attribute out at the first look, and keeps it in the object.

    Unlike `functools.cached_property` of Python 3.11 it holds no lock, which there is one for all objects of a class:
    a short message would be read only when a long one, which another thread reads, was done. Two threads that look at
    once may both work it out; they come to the same.
    """

    def __init__(self, make: Callable[[Any], V]) -> None:  # Any: whichever class it stands in
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type) -> V: ...

    def __get__(self, instance: object | None, owner: type) -> Self | V:
        if instance is None:
            return self
        value = self._make(instance)
        instance.__dict__[self._name] = value
        return value
