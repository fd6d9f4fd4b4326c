"""Any UTF-8 file is read; what is not one gets one sentence that says where."""

import pytest

from tinytie.text.files import read_text


def write(tmp_path, data):
    path = tmp_path / "text.txt"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "data", [b"a\nb\n", b"a\r\nb\r\n", b"a\rb\r", b"\xef\xbb\xbfa\nb\n"],
    ids=["unix", "windows", "old mac", "byte order mark"],
)  # fmt: skip
def test_line_ends_and_byte_order_marks_make_no_difference(tmp_path, data):
    assert read_text(write(tmp_path, data)) == "a\nb\n"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b" \n\t\n", "is empty"),
        (b"abc\nd\xff", r"not UTF-8: byte 5 \(line 2\) holds 0xff"),
        ("naïve".encode("latin-1"), r"not UTF-8: byte 2 \(line 1\) holds 0xef"),
        ("hi".encode("utf-16"), "not UTF-8: byte 0"),
        ("h\ni".encode("utf-16-le"), r"byte 1 \(line 1\) holds a NUL; a file in UTF-16"),
    ],
)
def test_what_is_no_text_is_told_where(tmp_path, data, said):
    with pytest.raises(ValueError, match=said):
        read_text(write(tmp_path, data))


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"there is no file '.*nothing'"):
        read_text(tmp_path / "nothing")
    with pytest.raises(ValueError, match="is a folder"):
        read_text(tmp_path)
