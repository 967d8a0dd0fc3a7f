"""HEKLA_CHECK: what kernels find out about themselves, told as it should be, and nothing in right programs."""

import os
import re
import subprocess

import pytest
from check_proofs import CASES
from conftest import PYTHON

RUNNER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check_runner.py")
# The first line of a message.
MESSAGE = re.compile(r"^(?:<source>:(\d+):(\d+): )?(\w+): (.*) \[(.*)global id \((.*?)\), local id \((.*?)\); (.*) in this launch\]$")

# The other place of a race.
NOTE = re.compile(r"^<source>:(\d+):(\d+): note: ((?:store|load|atomic operation) of .*)$")


def start(program, **environment):
    """Runs a program of the suite's Python with a driver that looks for mistakes. Variables that are None are not set."""
    variables = {**os.environ, "HEKLA_CACHE": "0", **environment}
    result = subprocess.run([*PYTHON, *program], env={name: it for name, it in variables.items() if it is not None},
                            capture_output=True, text=True, timeout=600)
    return result.returncode, result.stdout, result.stderr


def by_case(text):
    """What stands behind each case's number."""
    pieces = re.split(r"^== (\d+)\n", text, flags=re.M)
    return {int(number): text for number, text in zip(pieces[1::2], pieces[2::2])}


@pytest.fixture(scope="module")
def found():
    """What all cases say, by number: standard output, and the errors."""
    code, out, errors = start([RUNNER, *map(str, range(len(CASES)))], HEKLA_CHECK="all")
    assert code == 0, errors[-2000:]
    errors = errors.split("hekla: ")[0]
    # SwiftShader tells of capabilities that it takes nevertheless.
    errors = re.sub(r"^.*swiftshader.* WARNING: .*\n", "", errors, flags=re.M)
    return by_case(out), by_case(errors)


def numbers(text):
    return tuple(int(number) for number in text.split(","))


def cases(wanted):
    """Parameters: the numbers of cases of which something is to be found, or nothing."""
    numbers = [number for number, case in enumerate(CASES) if bool(case.kind) == wanted]
    names = [f"{CASES[number].kind}: {CASES[number].name}".removeprefix(": ") for number in numbers]
    return pytest.mark.parametrize("number", numbers, ids=names)


def left(case, out):
    """What the first buffer held afterwards, where the case says it."""
    values = eval(out.splitlines()[-1])
    return {index: values[index] for index in case.leaves}


def are_races_as_wanted(case, lines, messages):
    """Of a race either place may be told, with the other in a note behind it."""
    source = case.source.splitlines()
    wrong = [line for line, text in enumerate(source, 1) if "// HERE" in text]
    # What one reads too early may be what nobody has written.
    races = [(index, message) for index, message in messages if message[3] != "init"]
    assert races, lines
    for index, message in races:
        assert message[3] == "races" and int(message[1]) in wrong, lines
        assert lines[index + 1] == source[int(message[1]) - 1]
        note = next(NOTE.match(line) for line in lines[index + 1:] if NOTE.match(line))
        other = int(note[1])
        # A place is in a race with itself only where there is no other.
        assert other in wrong and (other != int(message[1]) or len(wrong) == 1), lines
        assert case.says in message[4] and case.note in note[3], lines
        local = re.search(r"local id \((.*?)\)", note[3])
        assert local is None or numbers(local[1]) != numbers(message[7]), lines
        if case.times > 1:
            assert message[8] == f"{case.times} times", lines


@cases(True)
def test_mistakes_are_found_where_they_are(found, number):
    case = CASES[number]
    out, errors = found[0][number], found[1].get(number, "")
    assert not out.startswith("error"), out
    lines = errors.splitlines()
    messages = [(index, MESSAGE.match(line)) for index, line in enumerate(lines) if MESSAGE.match(line)]
    assert messages, errors or "nothing was found"
    if case.line is not None:
        # All work-items of these modules write the same element.
        message, = [message for _, message in messages if message[3] != "races"]
        assert int(message[1] or 0) == case.line, errors
        assert (message[3], message[8]) == (case.kind, f"{case.times} times") and case.says in message[4], errors
        return
    if case.kind == "races":
        are_races_as_wanted(case, lines, messages)
        return
    if case.kind == "barriers":
        # Where a device goes on, others may read what those who did not come have not written.
        messages = [(index, message) for index, message in messages if message[3] != "init"]
        assert messages, errors
    wrong = 1 + next(index for index, line in enumerate(case.source.splitlines()) if "// HERE" in line)
    for index, message in messages:
        line, column, kind = int(message[1]), int(message[2]), message[3]
        assert (line, kind) == (wrong, case.kind), errors
        # The line, and a caret below the place.
        assert lines[index + 1] == case.source.splitlines()[wrong - 1]
        assert lines[index + 2] == " " * (column - 1) + "^"
        if case.id:
            assert (numbers(message[6]), numbers(message[7])) == case.id, errors
        assert message[8] == ("once" if case.times == 1 else f"{case.times} times"), errors
    assert any(case.says in message[4] for _, message in messages), errors
    # An access that reads and writes is two.
    assert len(messages) <= 2, errors
    assert left(case, out) == case.leaves


@cases(False)
def test_nothing_is_found_in_right_programs(found, number):
    out, errors = found[0][number], found[1][number]
    assert errors == "" and left(CASES[number], out) == CASES[number].leaves, (out, errors)


def test_calls_that_were_inlined_are_told(found):
    number, = [n for n, case in enumerate(CASES) if (case.kind, case.name) == ("bounds", "in an inlined function")]
    call = 1 + next(i for i, line in enumerate(CASES[number].source.splitlines()) if line.strip() == "f(a, 20);")
    assert f"<source>:{call}:9: note: called here, by 'k'\n" in found[1][number]
    assert found[1][number].count("note:") == 1


SEVEN = str(next(n for n, case in enumerate(CASES) if case.times == 7))
BOUNDS, ARITH = "0", str(next(n for n, case in enumerate(CASES) if case.kind == "arith"))


def test_the_process_ends_with_a_summary_and_a_status():
    code, out, errors = start([RUNNER, BOUNDS, BOUNDS, SEVEN, ARITH], HEKLA_CHECK="all", HEKLA_CHECK_EXIT="1")
    assert code == 1 and out.count("[") == 4, errors
    # Equal findings are told once, and counted.
    assert errors.count("\n<source>:4:9: bounds: store of 4 bytes at offset 64 of argument 'a'") == 1
    assert "hekla: 3 mistakes found in kernels:\n" in errors
    assert re.search(r"^  <source>:2:5: bounds: store .*, 7 times$", errors, re.M), errors
    assert re.search(r"^  <source>:4:9: bounds: store .*, 2 times$", errors, re.M), errors
    assert re.search(r"^  <source>:4:16: arith: division of 32 bits: 7 by 0, once$", errors, re.M), errors
    code, _, errors = start([RUNNER, ARITH], HEKLA_CHECK="all")
    assert code == 0 and "hekla: 1 mistake found in kernels:\n" in errors


EXAMPLE = os.path.join(os.path.dirname(RUNNER), "../../../examples/checks.py")


def test_a_callback_is_told_each_launch():
    code, out, errors = start([EXAMPLE], HEKLA_CHECK="all")
    place = "shift, line 4: bounds by work-item ({}, 0, 0), {} times: store of 4 bytes at offset 64 of argument 'a', which has 64 bytes"
    # Which work-item is the first of several is not said.
    told = [re.sub(r"\((\d+), 0, 0\)(.*) offset \d+", r"(N, 0, 0)\2 offset 64", line) for line in out.splitlines()]
    assert code == 0 and told == [place.format("N", 3), place.format("N", 5)], (out, errors)
    # The last launch has no callback.
    assert errors.count("<source>:4:5: bounds: ") == 2 and ", 15 times\n" in errors, errors
    code, out, errors = start([EXAMPLE], HEKLA_CHECK="")
    assert (code, out, errors) == (0, "", "")


def test_kinds_are_chosen_by_name():
    code, _, errors = start([RUNNER, BOUNDS, ARITH], HEKLA_CHECK="arith", HEKLA_CHECK_EXIT="1")
    assert code == 1 and "bounds" not in errors and errors.count("arith") == 2, errors
    code, _, errors = start([RUNNER, ARITH], HEKLA_CHECK="bounds,null,align", HEKLA_CHECK_EXIT="1")
    assert (code, "arith" in errors) == (0, False), errors
    code, _, errors = start([RUNNER, ARITH], HEKLA_CHECK="", HEKLA_CHECK_EXIT="1")
    assert (code, "arith" in errors) == (0, False), errors


def test_the_disk_cache_keeps_checked_programs_apart(tmp_path):
    for checks, code in [("", 0), ("arith", 1), ("", 0), ("arith", 1)]:
        environment = {"HEKLA_CACHE": "1", "XDG_CACHE_HOME": str(tmp_path), "HEKLA_CHECK_EXIT": "1"}
        assert start([RUNNER, ARITH], HEKLA_CHECK=checks, **environment)[0] == code
    assert any(path.is_file() for path in tmp_path.rglob("*"))


def test_binaries_that_another_process_made_are_checked_as_well(tmp_path):
    # pyopencl keeps binaries on disk. Without a disk cache, no binary of another process has a known seal.
    environment = {"HEKLA_CACHE": "0", "XDG_CACHE_HOME": str(tmp_path), "PYOPENCL_NO_CACHE": None, "HEKLA_CHECK": "all"}
    # Uninitialized memory in all its forms, and each other kind once.
    firsts = {case.kind: number for number, case in reversed(list(enumerate(CASES))) if case.kind}
    wrong = [str(number) for number, case in enumerate(CASES) if case.kind == "init" or firsts.get(case.kind) == number]
    # Without checks first: its binaries are none for programs that are checked.
    code, _, errors = start([RUNNER, wrong[0]], **{**environment, "HEKLA_CHECK": None})
    assert code == 0 and "Traceback" not in errors, errors
    found = []
    for _ in range(2):
        code, _, errors = start([RUNNER, *wrong], **environment)
        assert code == 0, errors
        messages = filter(None, map(MESSAGE.match, errors.splitlines()))
        # Line, column and kind: addresses differ.
        found.append(sorted(message.group(3, 1, 2) for message in messages))
    assert any(path.is_file() for path in tmp_path.glob("pyopencl/**/*"))
    assert found[0] == found[1] and len(found[0]) >= len(wrong), found


def test_a_kind_that_there_is_not_is_told():
    code, _, errors = start([RUNNER, ARITH], HEKLA_CHECK="arith,nonsense", HEKLA_CHECK_EXIT="1")
    assert code == 1 and "arith: division" in errors
    assert "hekla: HEKLA_CHECK: there is no check 'nonsense': bounds, null, " in errors
