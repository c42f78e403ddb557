"""What Python's driver does with Cassandra, done with a server: driver.py PORT VERSION COMPRESSION.

Whatever is not as expected raises, and the exit code says so.
"""

import datetime
import decimal
import sys
import uuid
from collections import namedtuple

from cassandra import AlreadyExists, InvalidRequest
from cassandra.cluster import Cluster
from cassandra.concurrent import execute_concurrent_with_args
from cassandra.policies import RoundRobinPolicy
from cassandra.protocol import SyntaxException
from cassandra.query import BatchStatement, BatchType, SimpleStatement
from cassandra.util import Date, Duration, Time

Address = namedtuple("address", "street zip")
REPLICATION = "{'class': 'SimpleStrategy', 'replication_factor': 1}"
COLUMNS = {
    "a": ("ascii", "asc"),
    "b": ("bigint", 2**40),
    "bl": ("blob", b"\x00\x01"),
    "bo": ("boolean", True),
    "d": ("date", Date("2024-02-29")),
    "de": ("decimal", decimal.Decimal("1.50")),
    "do": ("double", 1.5),
    "du": ("duration", Duration(1, 2, 3)),
    "f": ("float", 0.5),
    "i": ("inet", "127.0.0.1"),
    "si": ("smallint", 7),
    "te": ("text", "t\u00e4xt \U0001f5f3"),
    "ti": ("time", Time("01:02:03")),
    "ts": ("timestamp", datetime.datetime(2024, 1, 1)),
    "tu": ("timeuuid", uuid.UUID("e1b503a6-e469-11f1-a540-02fc00000001")),
    "ty": ("tinyint", 5),
    "u": ("uuid", uuid.UUID("2c29dd4d-6791-4e05-b0c5-d4f7a1e41f4e")),
    "v": ("varint", 10**30),
    "l": ("list<int>", [1, 2]),
    "m": ("map<text, int>", {"x": 1}),
    "s": ("set<text>", {"a", "b"}),
    "t": ("frozen<tuple<int, text>>", (1, "z")),
    "ad": ("frozen<address>", Address("street", 9)),
    "ve": ("vector<float, 3>", [1.0, 2.0, 3.0]),
}


def every_type(session, metadata):
    session.execute("CREATE TYPE address (street text, zip int)")
    columns = ", ".join(f"{name} {kind}" for name, (kind, _) in COLUMNS.items())
    session.execute(f"CREATE TABLE types (k int PRIMARY KEY, {columns})")
    seen = metadata.keyspaces[session.keyspace].tables["types"].columns
    for name, (kind, _) in COLUMNS.items():
        assert seen[name].cql_type == kind, (name, seen[name].cql_type)
    names = ", ".join(COLUMNS)
    marks = ", ".join("?" * len(COLUMNS))
    insert = session.prepare(f"INSERT INTO types (k, {names}) VALUES (1, {marks})")
    session.execute(insert, [value for _, value in COLUMNS.values()])
    for select in ["SELECT * FROM types", session.prepare("SELECT * FROM types WHERE k = 1")]:
        row = session.execute(select).one()
        for name, (_, value) in COLUMNS.items():
            read = getattr(row, name)
            read = set(read) if name == "s" else dict(read) if name == "m" else read
            assert tuple(read) == tuple(value) if name == "ad" else read == value, (name, read)
    session.execute(insert, [None] * len(COLUMNS))
    assert session.execute("SELECT te FROM types").one().te is None


def pages(session):
    session.execute("CREATE TABLE wide (k int, c int, v text, PRIMARY KEY (k, c))")
    insert = session.prepare("INSERT INTO wide (k, c, v) VALUES (?, ?, ?)")
    execute_concurrent_with_args(session, insert, [(1, c, str(c)) for c in range(10_000)])
    for select in [
        SimpleStatement("SELECT c FROM wide", fetch_size=777),
        session.prepare("SELECT c FROM wide"),
    ]:
        assert [row.c for row in session.execute(select)] == list(range(10_000))
    count = session.execute("SELECT count(*) FROM wide")
    assert count.one().count == 10_000
    assert count.response_future.warnings == ["Aggregation query used without partition key"]
    batch = BatchStatement(BatchType.UNLOGGED)
    batch.add(insert, (2, 1, "x"))
    batch.add("INSERT INTO wide (k, c, v) VALUES (%s, %s, %s)", (2, 2, "y"))
    session.execute(batch)
    assert [row.v for row in session.execute("SELECT v FROM wide WHERE k = 2")] == ["x", "y"]


def conditions_and_counters(session):
    met = session.prepare("UPDATE wide SET v = ? WHERE k = 2 AND c = 1 IF v = ?")
    assert session.execute(met, ("new", "x")).was_applied
    refused = session.execute(met, ("new", "x"))
    assert not refused.was_applied and refused.one().v == "new"
    session.execute("CREATE TABLE counts (k int PRIMARY KEY, n counter)")
    add = session.prepare("UPDATE counts SET n = n + ? WHERE k = 1")
    for number in range(10):
        session.execute(add, (number,))
    assert session.execute("SELECT n FROM counts").one().n == 45


def errors(session, keyspace):
    for text, error in [
        ("SELEC", SyntaxException),
        ("SELECT * FROM nothing", InvalidRequest),
        ("CREATE TABLE wide (k int PRIMARY KEY)", AlreadyExists),
        (f"CREATE KEYSPACE {keyspace} WITH replication = {REPLICATION}", AlreadyExists),
    ]:
        try:
            session.execute(text)
        except error as found:
            if error is AlreadyExists:
                assert found.keyspace == keyspace, found
        else:
            raise AssertionError(f"{text} is answered")


def changed_tables(session):
    star = session.prepare("SELECT * FROM wide WHERE k = 2")
    assert session.execute(star).one()._fields == ("k", "c", "v")
    session.execute("ALTER TABLE wide ADD extra int")
    assert session.execute(star).one()._fields == ("k", "c", "extra", "v")


def main():
    port, version, compression = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    cluster = Cluster(
        ["127.0.0.1"],
        port=port,
        protocol_version=version or 66,
        allow_beta_protocol_version=False,
        compression=False if compression == "none" else compression,
        load_balancing_policy=RoundRobinPolicy(),
    )
    if not version:
        # As a program does that says nothing of versions: the newest of all, then lower ones.
        cluster._protocol_version_explicit = False
    session = cluster.connect()
    assert cluster.protocol_version == (version or 5)
    keyspace = f"python_{version}_{compression}"
    session.execute(f"CREATE KEYSPACE {keyspace} WITH replication = {REPLICATION}")
    session.set_keyspace(keyspace)
    every_type(session, cluster.metadata)
    pages(session)
    conditions_and_counters(session)
    errors(session, keyspace)
    changed_tables(session)
    cluster.shutdown()


main()
