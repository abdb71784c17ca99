"""The report stands alone, and says in words and numbers what its figures show."""

import re
from html.parser import HTMLParser
from pathlib import Path

from search.evaluation.curve import NOT_CONNECTED, OFFTOPIC, Curve, Point
from search.evaluation.report import operating_points, render_report
from search.evaluation.scoring import Measures
from search.evaluation.tables import side_by_side, text_table, write_csv


def measures(ranker: str, name: str = "named", apps: int = 5, **changes: float | None) -> Measures:
    shares: dict[str, float | None] = {"r1": 0.5, "r5": 0.75, "empty": 0.1, "false": 0.0, "alone": 0.25}
    return Measures(ranker=ranker, set=name, apps=apps, n=40, p50_ms=0.3, **{**shares, **changes})


def offtopic(ranker: str, false: float) -> Measures:
    return measures(ranker, "offtopic", r1=None, r5=None, empty=None, false=false, alone=None)


CURVES = [
    Curve(
        ranker=ranker,
        set="named",
        apps=5,
        unanswerable=NOT_CONNECTED,
        points=(Point(0.0, 0.8, 0.0, 1.0), Point(0.5, 0.75, 0.1, 0.25)),
    )
    for ranker in ("default", "a<b>")
]
ROWS = [measures("default"), measures("a<b>", r5=0.7), measures("default", apps=20)]


class Elements(HTMLParser):
    VOID = frozenset({"meta", "path", "circle", "br"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_the_page_asks_for_nothing_and_runs_nothing() -> None:
    page = render_report(ROWS, CURVES, source="two queries")
    assert not re.search(r"https?:|src=|href=|url\(|@import|<script|<link", page)


def test_every_element_is_closed() -> None:
    elements = Elements(render_report(ROWS, CURVES, source="two queries"))
    assert elements.open == []
    assert elements.seen.count("section") == 2


def test_a_figure_has_a_title_a_description_and_its_points_as_a_table() -> None:
    page = render_report(ROWS, CURVES, source="two queries")
    assert '<title id="figure-5-0-title">named, 5 apps: R@5 against false answers</title>' in page
    assert "default as it is: R@5 0.750 at 0.250 false answers." in page
    assert '<th scope="row">default</th><td>0.5</td><td>0.750</td><td>0.100</td><td>0.250</td>' in page


def test_names_are_escaped() -> None:
    page = render_report(ROWS, CURVES, source="<i>")
    assert "a&lt;b&gt;" in page
    assert "<i>" not in page
    assert "a<b>" not in page


def test_the_page_has_colours_for_light_and_dark() -> None:
    assert "prefers-color-scheme: dark" in render_report(ROWS, [], source="")


def test_without_curves_there_is_no_figure() -> None:
    assert "<svg" not in render_report(ROWS, [], source="")


def test_a_ranker_stands_where_it_is_held_against_the_same_queries_as_its_curve() -> None:
    rows = [measures("default"), offtopic("default", 0.02)]
    assert [p.false for p in operating_points(rows, "named", unanswerable=NOT_CONNECTED)] == [0.25]
    assert [p.false for p in operating_points(rows, "named", unanswerable=OFFTOPIC)] == [0.02]


def test_rankers_of_one_set_and_size_stand_side_by_side() -> None:
    rows = [measures("default"), measures("default", "agent"), measures("bm25s"), measures("bm25s", "agent")]
    assert [(row.set, row.ranker) for row in side_by_side(rows)] == [
        ("agent", "default"),
        ("agent", "bm25s"),
        ("named", "default"),
        ("named", "bm25s"),
    ]


def test_the_table_shows_a_dash_for_what_a_set_has_not() -> None:
    assert text_table([offtopic("default", 0.02)]).splitlines()[1].split() == [
        *("offtopic", "5", "40", "default", "-", "-", "-", "0.020", "-", "0.30"),
    ]


def test_the_csv_leaves_it_empty(tmp_path: Path) -> None:
    write_csv(tmp_path / "out.csv", [offtopic("default", 0.02)])
    assert (tmp_path / "out.csv").read_text().splitlines() == [
        "ranker,set,apps,n,r1,r5,empty,false,alone,p50_ms",
        "default,offtopic,5,40,,,,0.02,,0.3",
    ]
