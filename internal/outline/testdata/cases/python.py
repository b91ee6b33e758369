#!/usr/bin/env python3
"""def in_docstring(): pass
class InDocstring: pass
"""
from __future__ import annotations
import os, sys
from typing import (
    Any,
    Iterable,
)

TEXT = '''
def in_string():
    pass
'''


@decorator(
    key="def x():",
)
class Outer(Base, metaclass=Meta):
    """class Doc: def"""

    field: int = 1

    @property
    def name(self) -> str:
        return f"{self.first!r} {'}'}"

    async def fetch(
        self,
        url: str = "def url():",  # def comment():
        *args: Any,
    ) -> dict[str, int]:
        def nested(x): return x
        class Local: pass
        return {}

    class Inner:
        def method(self): pass


if sys.platform == "win32":
    def platform(): pass
else:
    def platform():
        return r"\"


def lambda_default(key=lambda x: x, /, *, other={"a": 1}): return key


async \
def odd(): pass

x = [
    1,
    "unclosed
def after(): pass
	# a comment with a tab
def last():
    """Ends the file."""
