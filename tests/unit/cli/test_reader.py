import io
import json
import pathlib

import pytest

from guard.cli.text_reader import BadLine, InputFormat, InputText, read
from guard.errors import ScoresInputError
from guard.text import json_lines


def items(data, format_=InputFormat.AUTO):
    raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    return list(read(["-"], format_, lambda: io.BytesIO(raw)))


def texts(data, format_=InputFormat.AUTO):
    return [(item.id, item.text) for item in items(data, format_)]


def problem(data, format_=InputFormat.JSONL):
    (item,) = items(data, format_)
    assert isinstance(item, BadLine)
    return item.problem


def test_plain_lines_go_by_their_number():
    assert texts("one\ntwo\r\nthree") == [(1, "one"), (2, "two"), (3, "three")]


def test_a_blank_plain_line_is_an_empty_text():
    assert texts("\none\n\n") == [(1, ""), (2, "one"), (3, "")]


def test_white_space_belongs_to_the_text():
    assert texts("  one \n") == [(1, "  one ")]


def test_jsonl_is_recognised_and_takes_text_or_response():
    data = '{"text": "a", "id": "x"}\n{"response": "b"}\n{"text": "c", "id": 1.5}\n'
    assert texts(data) == [("x", "a"), (2, "b"), (1.5, "c")]


def test_blank_lines_of_jsonl_are_no_texts_but_count_as_lines():
    assert texts('\n\n{"text": "a"}\n\n{"text": "b"}\n') == [(3, "a"), (5, "b")]


def test_a_null_id_is_no_id():
    assert texts('{"text": "a", "id": null}') == [(1, "a")]


def test_plain_lines_may_look_like_json_when_asked_for():
    assert texts('{"text": "a"}\n', InputFormat.LINES) == [(1, '{"text": "a"}')]


def test_a_broken_first_line_does_not_turn_jsonl_into_plain_text():
    first, second = items('{"text": "a"\n{"text": "b"}\n')
    assert isinstance(first, BadLine)
    assert (second.id, second.text) == (2, "b")


def test_a_file_of_blank_lines_only_is_plain():
    assert len(texts("\n" * 1500)) == 1500


def test_lone_surrogates_survive():
    assert texts('{"text": "\\ud800 x", "id": "\\udfff"}') == [("\udfff", "\ud800 x")]


def test_a_byte_order_mark_is_no_text():
    assert texts(b"\xef\xbb\xbfone\n") == [(1, "one")]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"text": ', "not JSON (Expecting value at position 10)"),
        ("[1]", "expected a JSON object, got a list"),
        ("null", "expected a JSON object, got null"),
        ('"x"', "expected a JSON object, got a string"),
        ("{}", 'expected a field "text" or "response"'),
        ('{"text": 3}', 'expected "text" to be a string, got a number'),
        ('{"text": null}', 'expected "text" to be a string, got null'),
        ('{"text": "x", "response": "r"}', 'not clear: both "text" and "response" are there'),
        ('{"text": null, "response": "r"}', 'not clear: both "text" and "response" are there'),
        ('{"response": true}', 'expected "response" to be a string, got a boolean'),
        ('{"text": "a", "id": ["x"]}', 'expected "id" to be a string or a number, got a list'),
        ('{"text": "a", "id": false}', 'expected "id" to be a string or a number, got a boolean'),
        ('{"text": "a", "id": {}}', 'expected "id" to be a string or a number, got an object'),
        ('{"text": "a", "id": NaN}', "not JSON (NaN is no JSON number)"),
        ('{"text": "a", "n": ' + "9" * 5000 + "}", "a number too long"),
        ('{"text": ' + "[" * 200_000, "nested too deeply"),
        ('{"text": "a", "n": 1, "text": "b"}', "the key 'text' stands twice"),
        ('{"text": "a", "meta": {"n": 1, "n": 1}}', "the key 'n' stands twice"),
    ],
)
def test_bad_lines_say_what_is_wrong(line, says):
    assert says in problem(line)


def test_what_is_not_utf_8_is_named_with_its_place_and_the_rest_goes_on():
    bad, good = items(b"caf\xe9\ngood\n")
    assert "byte 0xe9 at position 4" in bad.problem
    assert bad.line.place == "standard input:1"
    assert good.text == "good"


def test_a_line_beyond_the_limit_is_bad_and_skipped_whole(monkeypatch):
    monkeypatch.setattr(json_lines, "LONGEST_LINE_BYTES", 1024 * 1024)
    long = b"x" * (3 * 1024 * 1024 + 7)
    bad, good = items(long + b"\nshort\n")
    assert "longer than 1 MiB" in bad.problem
    assert (good.text, good.line.number) == ("short", 2)


def test_a_megabyte_is_a_line():
    assert len(texts("word " * 200_000 + "\nx\n")[0][1]) == 1_000_000


def test_several_files_keep_their_own_format_and_number_on(tmp_path):
    (tmp_path / "a").write_text("one\ntwo\n")
    (tmp_path / "b").write_text('{"text": "three"}\noops\n')
    found = list(read([str(tmp_path / "a"), str(tmp_path / "b")], InputFormat.AUTO, io.BytesIO))
    assert [item.id for item in found if isinstance(item, InputText)] == [1, 2, 3]
    assert found[-1].line.place == f"{tmp_path}/b:2"


def test_consumed_bytes_add_up_to_the_input():
    data = 'é\n{"text": "a"}\n\n'
    assert sum(item.line.consumed for item in items(data)) == len(data.encode())


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ScoresInputError, match=r"cannot read .*gone: No such file"):
        list(read([str(tmp_path / "gone")], InputFormat.AUTO, io.BytesIO))


def test_a_device_is_refused_and_an_empty_one_is_empty():
    with pathlib.Path("/dev/zero").open("rb") as zeros:
        for source in ("-", "/dev/zero"):
            with pytest.raises(ScoresInputError, match="it is a device, and no text"):
                list(read([source], InputFormat.AUTO, lambda: zeros))
    assert list(read(["/dev/null"], InputFormat.AUTO, io.BytesIO)) == []


def test_a_line_without_an_end_is_an_error(monkeypatch):
    class Endless(io.RawIOBase):
        def readline(self, size=-1):
            return b"x" * size

    monkeypatch.setattr(json_lines, "LONGEST_LINE_BYTES", 1024 * 1024)
    endless = read(["-"], InputFormat.AUTO, Endless)
    assert isinstance(next(endless), BadLine)
    with pytest.raises(ScoresInputError, match="longer than 256 MiB: this is no text"):
        next(endless)


def test_reading_is_lazy():
    class Endless(io.RawIOBase):
        def readline(self, _size=-1):
            return json.dumps({"text": "again"}).encode() + b"\n"

    endless = read(["-"], InputFormat.AUTO, Endless)
    assert [next(endless).id for _ in range(5)] == [1, 2, 3, 4, 5]
