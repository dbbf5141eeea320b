"""The cache of compiled kernels: when it recompiles, what it survives, and which folders it trusts.

Most tests begin with a cache in which the kernels of `boardgames.kernels` are already compiled.
Processes run with `PYTHONDONTWRITEBYTECODE=1`: an edit of equal size within
one second would otherwise be hidden by the old byte code.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from boardgames.kernels import JIT, cache
from boardgames.kernels.cache import KEPT_DAYS, kernel_folder

pytestmark = pytest.mark.skipif(not JIT, reason="plain Python needs no cache")
posix = pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows keeps users apart by itself")

RULES = """
from boardgames.kernels import kernel, types
from {package}.board import SIZE

@kernel(types.int64(types.int64))
def size(number):
    return SIZE + number
"""
OTHER = """
import numpy as np
from boardgames.kernels import kernel, types
from cachedgame.rules import size

@kernel(types.int64(types.int64))
def twice(number):
    return 2 * np.int64(size(number))
"""
SHOW = """
from numba.core import event
with event.install_recorder("numba:compile") as recorder:
    {imports}
    shown = [{shown}]
print(*shown, len(recorder.buffer) // 2)
"""


class Workshop:
    """A folder of packages that tests change, and processes that run them with the same home."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.packages = folder / "packages"
        self.environment = os.environ | {
            "BOARDGAMES_HOME": str(self.home),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(self.packages),
            "TMPDIR": str(folder),
        }

    def write(self, name: str, text: str) -> Path:
        path = self.packages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    def write_game(self, package: str = "cachedgame", size: int = 5) -> None:
        self.write(f"{package}/__init__.py", "")
        self.write(f"{package}/board.py", f"SIZE = {size}\n")
        self.write(f"{package}/rules.py", RULES.format(package=package))

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *arguments],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> tuple[str, str]:
        """Return what a process printed, output and errors. It must succeed."""
        process = self.start(*arguments)
        output, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        return output.strip(), errors.strip()

    def show(self, imports: str, shown: str) -> list[str]:
        """Import a module, then print an expression and the number of kernels that Numba compiled."""
        return self.run("-c", SHOW.format(imports=imports, shown=shown))[0].split()

    def size(self) -> list[str]:
        return self.show("from cachedgame.rules import size", "size(0)")

    def files(self, package: str = "cachedgame") -> list[Path]:
        return sorted((self.home / "cache" / "kernels" / package).glob("*.kernel"))


@pytest.fixture
def empty_workshop(tmp_path: Path) -> Workshop:
    made = Workshop(tmp_path)
    made.write_game()
    return made


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the home of a process that has compiled the kernels of `boardgames.kernels`."""
    made = Workshop(tmp_path_factory.mktemp("compiled"))
    made.run("-c", "import boardgames.kernels.abi")
    return made.home


@pytest.fixture
def workshop(empty_workshop: Workshop, compiled: Path) -> Workshop:
    shutil.copytree(compiled, empty_workshop.home)
    return empty_workshop


@pytest.fixture
def fresh(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Reset the cache of this process to a new home and return its folder."""
    memories: list[Callable[[], None]] = [
        value.cache_clear for value in vars(cache).values() if hasattr(value, "cache_clear")
    ]
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for forget in memories:
        forget()
    yield home / "cache" / "kernels"
    for forget in memories:
        forget()


def spare(tmp_path: Path) -> Path:
    return tmp_path / f"boardgames-kernels-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


# --- what a kernel depends on ---------------------------------------------


@pytest.mark.slow
def test_a_kernel_is_compiled_again_only_after_a_change_of_what_it_uses(workshop: Workshop) -> None:
    workshop.write("othergame/__init__.py", "")
    first = workshop.size()
    assert first[0] == "5"
    assert int(first[1]) > 0
    hits = "size(0), *(sum(one.values()) for one in size.dispatcher.stats[-2:])"
    assert workshop.show("from cachedgame.rules import size", hits)[:3] == ["5", "1", "0"]
    rules = RULES.format(package="cachedgame").replace("return", "# a comment\n    return")
    workshop.write("cachedgame/rules.py", "\n" + rules + "\ndef unused():\n    return SIZE\n")
    workshop.write("othergame/__init__.py", "SIZE = 9\n")  # which is not imported
    assert workshop.size() == ["5", "0"]
    workshop.write_game(size=7)
    assert workshop.size()[0] == "7"
    workshop.write_game(size=5)
    assert workshop.size() == ["5", "0"], "the code of the old sources is still there"


@pytest.mark.slow
def test_a_changed_constant_recompiles_packages_that_import_the_kernel(workshop: Workshop) -> None:
    workshop.write("othergame/__init__.py", "")
    workshop.write("othergame/rules.py", OTHER)
    assert workshop.show("from othergame.rules import twice", "twice(0)")[0] == "10"
    workshop.write("cachedgame/board.py", "SIZE = 7\n")
    assert workshop.show("from othergame.rules import twice", "twice(0)")[0] == "14"


@pytest.mark.slow
def test_a_changed_data_file_recompiles(workshop: Workshop) -> None:
    workshop.write("cachedgame/size.txt", "5")
    workshop.write(
        "cachedgame/board.py",
        "from pathlib import Path\nSIZE = int((Path(__file__).parent / 'size.txt').read_text())\n",
    )
    assert workshop.size()[0] == "5"
    workshop.write("cachedgame/size.txt", "77")
    assert workshop.size()[0] == "77"


@pytest.mark.slow
def test_kernels_of_one_factory_have_entries_of_their_own(workshop: Workshop) -> None:
    workshop.write(
        "cachedgame/tables.py",
        """
        import numpy as np
        from boardgames.kernels import kernel, types

        def make(table):
            @kernel(types.int64(types.int64))
            def look_up(index):
                return table[index]
            return look_up

        # NumPy prints both shortened, and so alike
        first, second = (np.zeros(5000, dtype=np.int64) for _ in range(2))
        second[2500] = 1
        low, high = make(first), make(second)
        """,
    )
    shown = "low(2500), high(2500)"
    workshop.show("from cachedgame.tables import low, high", shown)
    assert workshop.show("from cachedgame.tables import low, high", shown) == ["0", "1", "0"]


FACTORY = """
from boardgames.kernels import kernel, types
from boardgames.kernels.abi import first_class

def make(size):
    @kernel(types.int64(types.int64))
    def add(number):
        return number + size
    @kernel(types.int64(types.int64))
    def add_twice(number):
        return add(add(number))
    return add, add_twice

@kernel(types.int64(first_class(types.int64(types.int64)), types.int64))
def call(function, number):
    return function(number)
"""


@pytest.mark.slow
def test_kernels_of_one_factory_differ_by_the_kernels_in_their_closures(workshop: Workshop) -> None:
    workshop.write("cachedgame/sizes.py", FACTORY)
    for _ in range(2):
        shown = workshop.show("from cachedgame.sizes import make", "make(5)[1](1), make(7)[1](1)")
        assert shown[:2] == ["11", "15"]


@pytest.mark.slow
def test_code_of_one_factory_from_two_processes_is_not_confused_in_a_third(workshop: Workshop) -> None:
    workshop.write("cachedgame/sizes.py", FACTORY)
    for size in (5, 7, 9):
        workshop.show("from cachedgame.sizes import make", f"make({size})[0](1)")
    made = "from cachedgame.sizes import call, make; made = [make(size)[0] for size in (5, 7, 9)]"
    shown = workshop.show(made, "*(call(add, 1) for add in made), *(add(1) for add in made)")
    assert shown[:6] == ["6", "8", "10"] * 2


@pytest.mark.slow
def test_a_recursive_kernel_of_a_factory_is_cached(workshop: Workshop) -> None:
    workshop.write(
        "cachedgame/tables.py",
        """
        from boardgames.kernels import kernel, types

        def make(last):
            @kernel(types.int64(types.int64))
            def factorial(number):
                if number < 1:
                    return last
                return number * factorial(number - 1)

            @kernel(types.int64(types.int64))
            def twice(number):
                return 2 * factorial(number)
            return factorial, twice

        once, doubled = make(1)
        """,
    )
    imports, shown = "from cachedgame.tables import once, doubled", "once(5), doubled(5)"
    workshop.show(imports, shown)
    assert workshop.show(imports, shown) == ["120", "240", "0"]


@pytest.mark.slow
def test_code_that_would_leak_arrays_is_not_cached(workshop: Workshop) -> None:
    workshop.write(
        "cachedgame/places.py",
        """
        import numpy as np
        from boardgames.kernels import types
        from numba.core.runtime import _nrt_python, rtsys
        from boardgames.kernels import kernel
        from boardgames.kernels.abi import ACTIONS

        @kernel(types.int64(ACTIONS))
        def first(numbers):
            return numbers.argsort()[0]

        @kernel(types.int64(ACTIONS))
        def last(numbers):  # compiles without counting: Numba has the code of argsort
            return numbers.argsort()[-1]

        def left_over():
            numbers = np.array([3, 1, 2])
            _nrt_python.memsys_enable_stats()
            before = rtsys.get_allocation_stats()
            for _ in range(100):
                assert (first(numbers), last(numbers)) == (1, 0)
            after = rtsys.get_allocation_stats()
            made = after.mi_alloc - before.mi_alloc
            return made >= 200, made - (after.mi_free - before.mi_free)
        """,
    )
    imports, shown = "from cachedgame.places import left_over", "*left_over()"
    assert workshop.show(imports, shown)[:2] == ["True", "0"]
    assert workshop.show(imports, shown) == ["True", "0", "0"]


@pytest.mark.slow
def test_a_script_is_cached_and_recompiled_when_it_changes(workshop: Workshop) -> None:
    workshop.write("sizes.py", "SIZE = 5\n")
    script = workshop.write(
        "script.py",
        """
        from boardgames.kernels import types
        from numba.core import event
        with event.install_recorder("numba:compile") as recorder:
            from boardgames.kernels import kernel
            from sizes import SIZE

            @kernel(types.int64(types.int64))
            def size(number):
                return SIZE + number
        print(size(0), len(recorder.buffer) // 2)
        """,
    )
    workshop.run(str(script))
    assert workshop.run(str(script))[0] == "5 0"
    workshop.write("sizes.py", "SIZE = 7\n")
    assert workshop.run(str(script))[0].startswith("7 ")


@pytest.mark.slow
def test_a_module_run_with_m_is_recompiled_when_its_package_changes(workshop: Workshop) -> None:
    rules = RULES.replace("{package}.board", ".board")
    workshop.write("cachedgame/main.py", rules + "print(size(0))\n")
    assert workshop.run("-m", "cachedgame.main")[0] == "5"
    workshop.write("cachedgame/board.py", "SIZE = 7\n")
    assert workshop.run("-m", "cachedgame.main")[0] == "7"


@pytest.mark.slow
def test_a_kernel_typed_at_a_prompt_is_cached(workshop: Workshop) -> None:
    code = """
    from boardgames.kernels import kernel, types

    @kernel(types.int64(types.int64))
    def size(number):
        return number + 1
    print(size(5), *size.dispatcher.stats.cache_hits.values())
    """
    assert workshop.run("-c", textwrap.dedent(code))[0] == "6"
    assert workshop.run("-c", textwrap.dedent(code))[0] == "6 1"
    assert workshop.run("-c", textwrap.dedent(code).replace("+ 1", "+ 2"))[0] == "7"


@pytest.mark.slow
def test_a_package_in_a_namespace_is_cached(workshop: Workshop) -> None:
    workshop.write_game("company/cachedgame")
    workshop.write("company/cachedgame/rules.py", RULES.format(package="company.cachedgame"))
    imports = "from company.cachedgame.rules import size"
    workshop.show(imports, "size(0)")
    assert workshop.show(imports, "size(0)") == ["5", "0"]


# --- code that changes while a process runs --------------------------------


@pytest.mark.slow
def test_a_reloaded_module_runs_its_new_code(workshop: Workshop) -> None:
    workshop.write("cachedgame/more.py", OTHER)
    code = """
    import importlib, pathlib
    from cachedgame import board, more, rules

    def edited(name, old, new):
        path = pathlib.Path(board.__file__).with_name(name)
        path.write_text(path.read_text().replace(old, new))
        for module in (board, rules, more):
            importlib.reload(module)
        return rules.size(1), more.twice(1)

    print(rules.size(1), more.twice(1))
    print(*edited("rules.py", "SIZE + number", "SIZE - number"))
    print(*edited("board.py", "5", "7"))
    print(*edited("rules.py", "int64(types.int64)", "float64(types.float64)"))
    print(*edited("rules.py", "SIZE - number", "SIZE + number"))
    """
    expected = ["6 12", "4 8", "6 12", "6.0 12", "8.0 16"]
    for _ in range(2):
        assert workshop.run("-c", textwrap.dedent(code))[0].splitlines() == expected
        workshop.write_game()


@pytest.mark.slow
def test_a_reloaded_recursive_kernel_calls_itself_and_not_the_old_one(workshop: Workshop) -> None:
    rules = """
    from boardgames.kernels import kernel, types

    @kernel(types.int64(types.int64))
    def total(number):
        return number + total(number - 1) if number > 0 else 0
    """
    path = workshop.write("cachedgame/rules.py", rules)
    code = f"""
    import importlib, pathlib
    from cachedgame import rules
    path = pathlib.Path({str(path)!r})
    path.write_text(path.read_text().replace("number + total", "2 * number + total"))
    print(rules.total(3), importlib.reload(rules).total(3))
    """
    assert workshop.run("-c", textwrap.dedent(code))[0] == "6 12"
    assert workshop.show("from cachedgame.rules import total", "total(3)") == ["12", "0"]


@pytest.mark.slow
def test_a_plug_in_edited_in_a_running_notebook_is_played_by_its_new_rules(workshop: Workshop) -> None:
    example = Path(__file__).parents[2] / "plugins" / "tictactoe" / "boardgames_tictactoe"
    for path in example.glob("*.py"):
        workshop.write(f"boardgames_mine/{path.name}", path.read_text().replace("tictactoe", "mine"))
    workshop.write("mine-1.dist-info/METADATA", "Name: mine\nVersion: 1\n")
    workshop.write("mine-1.dist-info/entry_points.txt", "[boardgames]\nmine = boardgames_mine.plugin\n")
    code = """
    import importlib, pathlib
    import boardgames
    from boardgames_mine import game as module, rules

    def moves():
        game = boardgames.load("mine")
        match = boardgames.Manager(game, [boardgames.load_player("alphabeta:depth=2", game)] * 2)
        match.step()
        return len(game.start().legal_moves), boardgames.perft(game.start(), 2), match.ply

    print(*moves())
    path = pathlib.Path(rules.__file__)
    path.write_text(path.read_text().replace("range(CELLS):\\n            if", "range(4):\\n            if"))
    importlib.reload(rules)
    importlib.reload(module)
    print(*moves())
    """
    assert workshop.run("-c", textwrap.dedent(code))[0].splitlines() == ["9 72 1", "4 12 1"]


@pytest.mark.slow
def test_code_that_was_reverted_before_the_next_process_does_not_run_there(workshop: Workshop) -> None:
    workshop.write("cachedgame/first.py", RULES.format(package="cachedgame").replace("SIZE +", "1 +"))
    path = workshop.packages / "cachedgame" / "rules.py"
    code = f"""
    import pathlib
    from cachedgame import first
    path = pathlib.Path({str(path)!r})
    before = path.read_text()
    path.write_text(before.replace("SIZE + number", "SIZE + 100 + number"))
    from cachedgame.rules import size
    path.write_text(before)
    print(size(0))
    """
    assert workshop.run("-c", textwrap.dedent(code))[0] == "105"
    assert workshop.size()[0] == "5"


@pytest.mark.slow
def test_processes_that_run_different_code_at_once_do_not_confuse_it(workshop: Workshop) -> None:
    code = """
    import sys
    from cachedgame import board
    board.SIZE = int(sys.argv[1])
    from cachedgame.rules import size
    print(size(0))
    """
    for _ in range(2):
        processes = [workshop.start("-c", textwrap.dedent(code), number) for number in "5799"]
        assert [process.communicate(timeout=300)[0].strip() for process in processes] == list("5799")
    assert workshop.size() == ["5", "0"]


# --- damage and concurrent processes --------------------------------------


@pytest.mark.slow
def test_a_damaged_file_is_a_cache_miss(workshop: Workshop) -> None:
    workshop.size()
    (path,) = workshop.files()
    whole = path.read_bytes()
    for damaged in (
        b"",
        whole[: len(whole) // 2],
        b"garbage" * 1000,
        hashlib.sha256(b"no pickle").digest() + b"no pickle",
    ):
        path.write_bytes(damaged)
        assert workshop.size() == ["5", "1"], damaged[:40]
    assert workshop.size() == ["5", "0"]


@pytest.mark.slow
def test_the_file_of_another_kernel_is_a_cache_miss(workshop: Workshop) -> None:
    workshop.write_game(size=5)
    workshop.size()
    (five,) = workshop.files()
    workshop.write_game(size=7)
    workshop.size()
    (seven,) = set(workshop.files()) - {five}
    seven.write_bytes(five.read_bytes())
    assert workshop.size() == ["7", "1"]


@pytest.mark.slow
def test_changed_machine_code_is_a_cache_miss(workshop: Workshop) -> None:
    workshop.write_game(size=0x12345678)
    number = str(0x12345678)
    workshop.size()
    (path,) = workshop.files()
    content = path.read_bytes()
    if b"\x78\x56\x34\x12" not in content:
        pytest.skip("this processor has no such constants in its code")
    path.write_bytes(content.replace(b"\x78\x56\x34\x12", b"\x79\x56\x34\x12"))
    assert workshop.size() == [number, "1"]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no such signal")
def test_a_process_that_is_killed_while_compiling_does_no_damage(empty_workshop: Workshop) -> None:
    for delay_s in (0.0, 0.05, 0.2):
        process = empty_workshop.start("-c", "from cachedgame.rules import size")
        deadline = time.monotonic() + 60
        while not empty_workshop.files("boardgames") and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(delay_s)
        process.kill()
        process.communicate()
    assert empty_workshop.size()[0] == "5"
    assert empty_workshop.size() == ["5", "0"]


@pytest.mark.slow
def test_processes_that_start_with_an_empty_cache_at_once_all_work(empty_workshop: Workshop) -> None:
    code = SHOW.format(imports="from cachedgame.rules import size", shown="size(0)")
    processes = [empty_workshop.start("-c", code) for _ in range(4)]
    outputs = [process.communicate(timeout=300)[0].split()[0] for process in processes]
    assert outputs == ["5"] * 4
    assert empty_workshop.size() == ["5", "0"]
    assert not list(empty_workshop.home.rglob("*.tmp"))


@pytest.mark.slow
def test_with_an_unwritable_home_one_warning_says_where_kernels_are_cached(empty_workshop: Workshop) -> None:
    empty_workshop.home.write_text("a file, so that no folder can be made below it")
    _, errors = empty_workshop.run("-c", "from cachedgame.rules import size")
    assert errors.count("Warning") == 1
    assert "Traceback" not in errors
    assert list(spare(empty_workshop.folder).rglob("*.kernel"))


@pytest.mark.slow
def test_without_any_private_folder_kernels_are_compiled_each_time(empty_workshop: Workshop) -> None:
    empty_workshop.home.write_text("")
    spare(empty_workshop.folder).write_text("")
    output, errors = empty_workshop.run("-c", "from cachedgame.rules import size; print(size(0))")
    assert output == "5"
    assert errors.count("Warning") == 1
    assert "kernels are not cached" in errors


# --- private folders ------------------------------------------------------


def test_the_folder_is_private_to_the_user(fresh: Path) -> None:
    folder = kernel_folder(__name__)
    assert folder is not None
    assert folder.is_relative_to(fresh)
    if hasattr(os, "getuid"):
        assert fresh.stat().st_mode & 0o777 == 0o700


@posix
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777], ids=oct)
def test_a_folder_that_others_can_write_to_is_not_used(fresh: Path, tmp_path: Path, mode: int) -> None:
    fresh.mkdir(parents=True)
    fresh.chmod(mode)
    with pytest.warns(UserWarning, match="is not a folder that only you can write to"):
        folder = kernel_folder(__name__)
    assert folder is not None
    assert folder.is_relative_to(spare(tmp_path))


@posix
@pytest.mark.parametrize("kind", ["writable", "link"])
def test_a_subfolder_that_others_could_have_made_is_not_used(fresh: Path, tmp_path: Path, kind: str) -> None:
    folder = kernel_folder(__name__)
    assert folder is not None
    if kind == "writable":
        folder.chmod(0o770)
    else:
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")
    kernel_folder.cache_clear()
    with pytest.warns(
        UserWarning,
        match=f"{folder} is not a folder that only you can write to: kernels are not cached; remove it",
    ):
        assert kernel_folder(__name__) is None


@posix
def test_folders_are_private_whatever_the_umask(fresh: Path) -> None:
    before = os.umask(0)
    try:
        folder = kernel_folder(__name__)
    finally:
        os.umask(before)
    assert folder is not None
    assert [path.stat().st_mode & 0o777 for path in (fresh, folder)] == [0o700] * 2


@posix
@pytest.mark.slow
def test_planted_files_are_not_read_and_new_ones_are_private(workshop: Workshop) -> None:
    before = os.umask(0)
    try:
        workshop.size()
    finally:
        os.umask(before)
    (path,) = workshop.files()
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o620)
    assert workshop.size() == ["5", "1"]
    assert path.stat().st_mode & 0o777 == 0o600
    path.rename(workshop.folder / "elsewhere")
    path.symlink_to(workshop.folder / "elsewhere")
    assert workshop.size() == ["5", "1"]
    assert not path.is_symlink()
    assert workshop.size() == ["5", "0"]


@posix
def test_a_folder_of_another_user_is_not_used(
    fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh.mkdir(parents=True)
    spare(tmp_path).mkdir()
    stranger = os.getuid() + 1
    taken = spare(tmp_path)
    monkeypatch.setattr(cache, "_temporary_folder", lambda: taken)
    monkeypatch.setattr(os, "getuid", lambda: stranger)
    with pytest.warns(UserWarning, match="kernels are not cached"):
        assert kernel_folder(__name__) is None


@posix
def test_a_link_in_the_temporary_folder_is_not_followed(fresh: Path, tmp_path: Path) -> None:
    fresh.parent.mkdir(parents=True)
    fresh.write_text("")
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    spare(tmp_path).symlink_to(tmp_path / "elsewhere")
    with pytest.warns(UserWarning, match="kernels are not cached"):
        assert kernel_folder(__name__) is None


def test_a_usable_home_gives_no_warning(fresh: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kernel_folder(__name__) is not None


# --- removal of old kernels -----------------------------------------------


@pytest.mark.slow
def test_kernels_unused_for_30_days_are_removed_when_another_is_saved(workshop: Workshop) -> None:
    def age(path: Path, days: float) -> None:
        then = time.time() - days * 86_400
        os.utime(path, (then, then))

    workshop.size()
    (used,) = workshop.files()
    unused, recent, folder = used.with_name("unused"), used.with_name("recent"), used.with_name("folder")
    for path in (unused, recent):
        path.write_text("")
    folder.mkdir()
    (folder / "file").write_text("")
    for path, days in ((used, KEPT_DAYS + 1), (unused, KEPT_DAYS + 1), (folder, KEPT_DAYS + 1), (recent, 1)):
        age(path, days)
    assert workshop.size() == ["5", "0"]
    assert unused.exists()
    workshop.write_game(size=7)
    assert workshop.size() == ["7", "1"]
    assert [path.exists() for path in (used, recent, unused, folder)] == [True, True, False, False]
