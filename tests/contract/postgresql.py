#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The history on a real PostgreSQL server, which this starts: the suite of every store, then what a user sees: the same
history as SQLite shows, a password from a file, TLS with a certificate of an own authority, a server that is not there.

Usage: postgresql.py TEST_STORE PAWL     exit status 77: there is no server to start, and why"""
import glob
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from dashboard_runs import HOSTILE, handed_over, page_home, write_harness_file  # noqa: E402

DATABASES = 40  # one for each test of the suite
HISTORY = pathlib.Path(__file__).resolve().parents[1] / "golden" / "data" / "history.ndjson"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def as_user(command, user):
    """PostgreSQL does not run as root."""
    if os.getuid():
        return command
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", *command]


def find_programs():
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
    if not folders:
        skip("PostgreSQL is not installed (Debian's package postgresql)")
    return pathlib.Path(folders[-1])


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Server:
    def __init__(self, folder):
        self.programs, self.folder = find_programs(), folder
        try:
            self.user = pwd.getpwnam("postgres") if not os.getuid() else pwd.getpwuid(os.getuid())
        except KeyError:
            skip("there is no user 'postgres', and PostgreSQL does not run as root")
        folder.chmod(0o755)
        if not os.getuid():
            os.chown(folder, self.user.pw_uid, self.user.pw_gid)
        self.run("initdb", "-D", folder / "data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C")
        (folder / "data/pg_hba.conf").write_text("local all postgres trust\nlocal all all scram-sha-256\n"
                                                 "hostssl all ci 127.0.0.1/32 scram-sha-256\n")
        self.make_certificates()
        self.port = free_port()
        self.run("pg_ctl", "-D", folder / "data", "-w", "-t", "60", "-l", folder / "log", "-o",
                 f"-c listen_addresses=127.0.0.1 -p {self.port} -c unix_socket_directories={folder} -c fsync=off -c ssl=on", "start")

    def make_certificates(self):
        """An authority, the server's certificate for "localhost" that it signs, and another authority."""
        for name in ("authority", "other"):
            self.run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                     "-days", "2", "-subj", f"/CN=The {name}", "-keyout", f"{name}.key", "-out", f"{name}.crt")
        self.run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
                 "/CN=localhost", "-keyout", "data/server.key", "-out", "server.csr")
        (self.folder / "names").write_text("subjectAltName=DNS:localhost\n")
        self.run("openssl", "x509", "-req", "-in", "server.csr", "-CA", "authority.crt", "-CAkey", "authority.key",
                 "-CAcreateserial", "-days", "2", "-extfile", "names", "-out", "data/server.crt")

    def run(self, program, *arguments):
        """The server keeps what it inherits open: it gets a file, and no pipe that somebody reads to its end."""
        with tempfile.TemporaryFile("w+") as words:
            found = self.programs / program
            done = subprocess.run(as_user([str(found) if found.exists() else program, *map(str, arguments)], self.user), cwd=self.folder,
                                  stdin=subprocess.DEVNULL, stdout=words, stderr=words)
            words.seek(0)
            if done.returncode:
                sys.exit(f"{program} failed: {words.read()}")

    def sql(self, *statements):
        for statement in statements:
            self.run("psql", "-q", "-h", self.folder, "-p", self.port, "-U", "postgres", "-c", statement, "postgres")

    def stop(self):
        self.run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")


def pawl(program, folder, store, *words, status=0, **environment):
    (folder / "pawl.yaml").write_text(f"version: 1\nstore: \"{store}\"\n")
    done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "SOURCE_DATE_EPOCH": "1800000000", **environment})
    if done.returncode != status:
        sys.exit(f"pawl {' '.join(words)} on {store}: exit status {done.returncode}, not {status}\n{done.stderr}")
    return done.stdout, done.stderr


def show_tls(program, server, folder):
    """Over TCP the server takes TLS alone, and the client checks who answers."""
    def store(host, **options):
        words = "&".join(f"{key}={value}" for key, value in options.items())
        return f"postgresql://ci@{host}:{server.port}/team?{words}"

    def refuse(store, status, *wanted, password="right"):
        _, words = pawl(program, folder, store, "history", status=status, PGPASSWORD=password)
        assert words.count("\n") == 1 and password not in words, words
        assert all(part in words for part in wanted), words
        print("refused:", words.strip())

    ours, theirs = server.folder / "authority.crt", server.folder / "other.crt"
    good = store("localhost", sslmode="verify-full", sslrootcert=ours)
    assert "scale_cpu" in pawl(program, folder, good, "history", PGPASSWORD="right")[0]
    refuse(store("localhost", sslmode="verify-full", sslrootcert=theirs), 69, "certificate verify failed", "sslrootcert=FILE")
    refuse(store("localhost", sslmode="verify-full", sslrootcert="/nowhere/ca.crt"), 69, "/nowhere/ca.crt")
    refuse(store("127.0.0.1", sslmode="verify-full", sslrootcert=ours), 69, "127.0.0.1", "does not match")
    refuse(store("localhost", sslmode="disable"), 69, "no encryption")
    refuse(good, 77, "password authentication failed", password="wrong-one")
    for hidden in ("password=s3cret", "sslpassword=s3cret", "p%61ssword=s3cret"):
        refuse(f"{good}&{hidden}", 78, "holds a password", password="s3cret")
    refuse(f"{good}&nonsense=s3cret", 78, "cannot read the address", password="s3cret")
    show_no_secret_in_the_process_list(program, folder, good)


def process_list():
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            yield pathlib.Path(path).read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # it has ended
            pass


def show_no_secret_in_the_process_list(program, folder, store):
    """While pawl is connected: it waits for what it imports."""
    pipe = folder / "runs.ndjson"
    os.mkfifo(pipe)
    (folder / "pawl.yaml").write_text(f"version: 1\nstore: \"{store}\"\n")
    importer = subprocess.Popen([program, "history", "import", str(pipe)], cwd=folder, env={**os.environ, "PGPASSWORD": "right"})
    with pipe.open("w"):  # pawl has opened it too, after its connection
        ours = [line for line in process_list() if str(pipe) in line or "ci team" in line]
        assert len(ours) == 2 and "right" not in "".join(ours), ours
    assert importer.wait() == 0
    print("TLS: the certificate and the name are checked, and no password shows")


def show_hostile_names(program, server, folder):
    """From a harness's file through the store to the page: the names are texts, and both back ends give the same page."""
    home = page_home(folder / "home")
    write_harness_file(folder / "names.json")
    pages = []
    for store in (f"postgresql://postgres@/hostile?host={server.folder}&port={server.port}", "sqlite:hostile.db"):
        pawl(program, folder, store, "import", "hyperfine", "names.json")
        pawl(program, folder, store, "report", "-o", "page.html", PAWL_HOME=str(home))
        data = folder / "page.html/data"
        overview = handed_over(data / "overview.js")
        trends = {row["kernel_name"]: handed_over(data / f"trend-{row['id']}.js")["series"][0]["points"][0]["value"] for row in overview["series"]}
        pages.append(([{key: row[key] for key in row if key != "id"} for row in overview["series"]], trends))
    assert pages[0] == pages[1], pages
    wanted = {name.replace("\n", "U+000A").replace("\t\u0001", "U+0009U+0001").replace("\u202e", "U+202E") for name in HOSTILE}
    assert set(pages[0][1]) == wanted, pages[0][1]
    print("hostile names are the same texts on the page of both back ends")


def show_to_a_user(program, server, folder):
    host = f"host={server.folder}&port={server.port}"
    ours, theirs = f"postgresql://postgres@/shown?{host}", "sqlite:history.db"
    for words in (["history", "import", str(HISTORY)], ["history"], ["history", "scale_cpu", "--case", "tiny"],
                  ["--json", "history"], ["history", "--changes"], ["history", "export"]):
        a, b = (pawl(program, folder, store, *words)[0] for store in (ours, theirs))
        assert a == b, (words, a, b)
    assert len(pawl(program, folder, ours, "history", "export")[0].splitlines()) == 8
    print("the same history as in SQLite")

    team = f"postgresql://ci@/team?{host}"
    secret = folder / "pgpass"
    secret.write_text("*:*:*:ci:right\n")
    secret.chmod(0o600)
    pawl(program, folder, team, "history", "import", str(HISTORY), PGPASSFILE=str(secret))
    assert "scale_cpu" in pawl(program, folder, team, "history", PGPASSFILE=str(secret))[0]
    _, words = pawl(program, folder, team, "history", PGPASSWORD="wrong", status=77)
    assert "password authentication failed" in words, words
    _, words = pawl(program, folder, team, "history", PGPASSFILE="/nowhere", status=77)
    assert "no password supplied" in words, words
    print("the password comes from its file")
    show_tls(program, server, folder)
    show_hostile_names(program, server, folder)

    server.stop()
    _, words = pawl(program, folder, ours, "history", status=69)
    assert "cannot open the history" in words and words.count("\n") == 1, words
    print("a server that is not there:", words.split(":")[1].strip())


def main():
    test_store, program = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))
    with tempfile.TemporaryDirectory(prefix="pawl-pg-") as name:
        folder = pathlib.Path(name)
        (folder / "server").mkdir()
        (folder / "user").mkdir()
        folder.chmod(0o755)
        server = Server(folder / "server")
        try:
            server.sql(*(f"CREATE DATABASE t{i}" for i in range(1, DATABASES)), "CREATE DATABASE shown", "CREATE DATABASE hostile",
                       "CREATE ROLE ci LOGIN PASSWORD 'right'", "CREATE DATABASE team OWNER ci")
            address = f"postgresql://postgres@/t%d?host={server.folder}&port={server.port}"
            subprocess.run([test_store, address], check=True)
            show_to_a_user(program, server, folder / "user")
        finally:
            subprocess.run(as_user([str(server.programs / "pg_ctl"), "-D", str(server.folder / "data"), "-m", "immediate",
                                    "stop"], server.user), cwd=server.folder, capture_output=True)
            shutil.rmtree(server.folder / "data", ignore_errors=True)


if __name__ == "__main__":
    main()
