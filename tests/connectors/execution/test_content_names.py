"""What a file from an upstream is called."""

import httpx2
import pytest

from connectors.execution.content_names import disposed, name_of, safe
from connectors.execution.sending import UpstreamResponse


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ('attachment; filename="report.pdf"', "report.pdf"),
        ("attachment; filename=report.pdf; size=5", "report.pdf"),
        ("attachment; filename=\"x.pdf\"; filename*=UTF-8''r%C3%A9sum%C3%A9%20%E2%82%AC.pdf", "résumé €.pdf"),
        ("inline; filename*=iso-8859-1'en'%A3%20rates.csv", "£ rates.csv"),
        ('attachment; filename="../../etc/passwd"', "passwd"),
        ("attachment; filename*=UTF-8''..%2F..%2F.bashrc", "bashrc"),
        ('attachment; filename="C:\\\\\\\\temp\\\\\\\\a.txt"', "a.txt"),
        ('attachment; filename="invoice\u202efdp.exe"', "invoice fdp.exe"),
        ('attachment; filename="a\\"b.txt"', "a b.txt"),
        ("attachment", ""),
        ('attachment; filename=""', ""),
        ("attachment; filename=..", ""),
        ("", ""),
    ],
)
def test_a_content_disposition_gives_one_safe_segment(header: str, name: str) -> None:
    assert disposed(header) == name


@pytest.mark.parametrize("header", ["attachment; filename*=" * 500, 'filename="' + "\\" * 5000, "filename=" * 1000])
def test_a_hostile_one_takes_no_time(header: str) -> None:
    disposed(header)


def test_a_long_name_keeps_its_extension() -> None:
    shortened = safe("n" * 500 + ".tar")
    assert len(shortened) == 120
    assert shortened.endswith("n.tar")


@pytest.mark.parametrize(
    ("path", "media_type", "name"),
    [
        ("/files/photo.png", "image/png", "photo.png"),
        ("/files/42/content", "application/pdf", "content.pdf"),
        ("/", "application/x-odd", "file"),
    ],
)
def test_without_one_the_address_and_the_type_name_it(path: str, media_type: str, name: str) -> None:
    response = UpstreamResponse(host="h", status=200, headers=httpx2.Headers(), content=b"x", path=path)
    assert name_of(response, media_type) == name
