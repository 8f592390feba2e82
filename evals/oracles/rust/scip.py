"""Reads as much of a SCIP index as the oracle needs: documents, occurrences, symbol kinds."""

from dataclasses import dataclass


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """(number, value) of every field of a message; sub-messages and strings stay bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        else:
            size = {1: 8, 5: 4}[wire]
            value, at = data[at:at + size], at + size
        yield number, value


def packed(data):
    out, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        out.append(value)
    return out


@dataclass
class Occurrence:
    """A use or definition of a symbol: line from 1, columns in bytes."""
    line: int
    start: int
    end: int
    symbol: str
    defines: bool


def documents(path):
    """(relative path, occurrences) of every document."""
    with open(path, "rb") as file:
        data = memoryview(file.read())
    for number, value in fields(data):
        if number == 2:
            yield document(value)


def document(data):
    path, occurrences = "", []
    for number, value in fields(data):
        if number == 1:
            path = bytes(value).decode()
        elif number == 2:
            made = occurrence(value)
            if made:
                occurrences.append(made)
    return path, occurrences


def occurrence(data):
    place, symbol, roles = [], "", 0
    for number, value in fields(data):
        if number == 1:
            place += packed(value) if not isinstance(value, int) else [value]
        elif number == 2:
            symbol = bytes(value).decode()
        elif number == 3:
            roles = value
    if len(place) != 3:
        return None
    return Occurrence(place[0] + 1, place[1], place[2], symbol, bool(roles & 1))
