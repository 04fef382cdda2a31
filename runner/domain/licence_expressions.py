"""Several licences in one text: `A OR B`, `A/B`, `A AND B`, with parentheses. AND binds stronger."""

from __future__ import annotations

import re

from runner.domain import licence_names
from runner.domain.licence_terms import Found, all_of, either

MOST_PARTS = 20
_LATER = re.compile(r"\bor (?:\(?at your option\)? )?(?:any )?(later|newer)\b(?: versions?)?")
_TOKEN = re.compile(r"(https?://[^\s()]+)|([()/])|\b(and|or)\b|([^()/\s]+)")


class _NoExpression(Exception):
    pass


def parts(text: str) -> Found | None:
    """The licence of an expression, None when it is not one or when a part of it is no known licence."""
    tokens = _tokens(text)
    if not 1 < len(tokens) <= 2 * MOST_PARTS + 1 or not {"and", "or", "/"} & set(tokens):
        return None
    try:
        found = _either(tokens)
    except _NoExpression:
        return None
    return found if not tokens else None


def _tokens(text: str) -> list[str]:
    """Names, `and`, `or`, `/`, `(`, `)`; the words of one name are one token."""
    tokens: list[str] = []
    open_name = False
    for address, sign, joint, word in _TOKEN.findall(_LATER.sub("+", text)):
        if address or word:
            if open_name:
                tokens[-1] += f" {address or word}"
            else:
                tokens.append(address or word)
        else:
            tokens.append(sign or joint)
        open_name = bool(address or word)
    return tokens


def _either(tokens: list[str]) -> Found:
    branches = [_all(tokens)]
    while tokens and tokens[0] in ("or", "/"):
        tokens.pop(0)
        branches.append(_all(tokens))
    return either(branches) if len(branches) > 1 else branches[0]


def _all(tokens: list[str]) -> Found:
    branches = [_one(tokens)]
    while tokens and tokens[0] == "and":
        tokens.pop(0)
        branches.append(_one(tokens))
    return all_of(branches) if len(branches) > 1 else branches[0]


def _one(tokens: list[str]) -> Found:
    if not tokens:
        raise _NoExpression
    token = tokens.pop(0)
    if token == "(":
        found = _either(tokens)
        if not tokens or tokens.pop(0) != ")":
            raise _NoExpression
        return found
    named = licence_names.whole(token)
    if named is None or named.terms.scope == "unknown":
        raise _NoExpression
    return named
