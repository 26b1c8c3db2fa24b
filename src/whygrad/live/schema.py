"""The database of a watched run: one SQLite file, written by one process and read by any number.

In WAL mode a transaction that was committed survives the end of the process, however it ends, and readers never wait.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

FILE = "watch.db"
VERSION = 1

TABLES = """
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS groups (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, updates INTEGER NOT NULL, looks INTEGER NOT NULL, every INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS variables (
    grp INTEGER NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, network TEXT NOT NULL, shape TEXT NOT NULL,
    PRIMARY KEY (grp, place)
);
CREATE TABLE IF NOT EXISTS looks (
    grp INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, count INTEGER NOT NULL, time REAL NOT NULL,
    rows BLOB NOT NULL, PRIMARY KEY (grp, first)
);
CREATE TABLE IF NOT EXISTS spreads (
    grp INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, count INTEGER NOT NULL, counts BLOB NOT NULL,
    PRIMARY KEY (grp, first)
);
CREATE TABLE IF NOT EXISTS scalars (
    name TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, count INTEGER NOT NULL, time REAL NOT NULL,
    low REAL, mean REAL, high REAL, PRIMARY KEY (name, first)
);
CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY, grp INTEGER NOT NULL, at INTEGER NOT NULL, time REAL NOT NULL, kind TEXT NOT NULL,
    code TEXT NOT NULL, variable TEXT NOT NULL, text TEXT NOT NULL, worker TEXT NOT NULL
);
"""


def connect(folder: Path) -> sqlite3.Connection:
    """Open for writing; the tables are made when they are missing. For the thread that calls it."""
    found = sqlite3.connect(folder / FILE, timeout=10.0, isolation_level=None)
    found.execute("PRAGMA journal_mode = WAL")
    found.execute("PRAGMA synchronous = NORMAL")
    found.executescript(TABLES)
    found.execute(f"PRAGMA user_version = {VERSION}")
    return found


def look_into(folder: Path) -> sqlite3.Connection:
    """Open for reading, whether or not somebody writes."""
    return sqlite3.connect(f"{(folder / FILE).absolute().as_uri()}?mode=ro", uri=True, timeout=10.0)
