"""The HTML report: one self-contained page, readable in the light and in the dark, that asks for nothing."""

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

from search.evaluation.curve import OFFTOPIC, Curve
from search.evaluation.exceptions import EvaluationError
from search.evaluation.figure import OperatingPoint, draw_figure, draw_key
from search.evaluation.scoring import Measures
from search.evaluation.tables import HEADINGS, share, side_by_side

EXPLANATIONS = (
    ("R@1, R@5", "a right tool first, or among the first five; an empty answer counts as a miss"),
    ("empty", "nothing returned although the right tool’s app is connected, or to a query that nobody labelled"),
    ("false", "something returned although the app named is not connected, or nothing could serve the query"),
    ("alone", "false, for a gateway that has heard of no app but the connected ones"),
)


def write_report(path: Path, page: str) -> None:
    """Raises EvaluationError when the file cannot be written."""
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise EvaluationError(f"{path}: {(error.strerror or str(error)).lower()}") from None


def render_report(rows: Sequence[Measures], curves: Sequence[Curve], *, source: str) -> str:
    """`source`: one line that says what was evaluated."""
    sizes = sorted({row.apps for row in rows})
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            "<title>How well search finds tools</title>",
            f"<style>\n{files(__package__).joinpath('report.css').read_text(encoding='utf-8')}</style>\n</head>",
            f"<body>\n<main>\n<h1>How well search finds tools</h1>\n<p>{escape(source)}</p>",
            _definitions(),
            *(_size_section(size, rows, curves) for size in sizes),
            "</main>\n</body>\n</html>\n",
        ]
    )


def _definitions() -> str:
    items = "".join(f"<dt>{escape(term)}</dt><dd>{escape(said)}.</dd>" for term, said in EXPLANATIONS)
    return f"<dl>{items}</dl>"


def _size_section(size: int, rows: Sequence[Measures], curves: Sequence[Curve]) -> str:
    mine = [row for row in rows if row.apps == size]
    order = list(dict.fromkeys(row.ranker for row in rows))
    parts = [
        f'<section aria-labelledby="apps-{size}">\n<h2 id="apps-{size}">{_apps(size)} connected</h2>',
        _measures(mine),
    ]
    drawn = [curve for curve in curves if curve.apps == size]
    if drawn:
        parts += ["<h3>Recall against false answers, for every cut-off</h3>", _legend(order)]
        parts += (_figure(name, drawn, mine, order) for name in dict.fromkeys(curve.set for curve in drawn))
    return "\n".join([*parts, "</section>"])


def _apps(size: int) -> str:
    return "1 app" if size == 1 else f"{size} apps"


def _measures(rows: Iterable[Measures]) -> str:
    head = "".join(f'<th scope="col">{heading}</th>' for heading in ("n", *HEADINGS.values(), "p50 ms"))
    body = "\n".join(_measures_row(row) for row in side_by_side(rows))
    return (
        '<div class="wide"><table><thead><tr><th scope="col">set</th><th scope="col">ranker</th>'
        f"{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _measures_row(row: Measures) -> str:
    numbers = (str(row.n), *(share(getattr(row, name)) for name in HEADINGS), f"{row.p50_ms:.2f}")
    cells = "".join(f"<td>{number}</td>" for number in numbers)
    return f'<tr><th scope="row">{escape(row.set)}</th><th scope="row">{escape(row.ranker)}</th>{cells}</tr>'


def _legend(order: Sequence[str]) -> str:
    items = "".join(f"<li>{draw_key(number)} {escape(name)}</li>" for number, name in enumerate(order))
    return (
        f'<ul class="legend">{items}</ul>\n<p>A dot is the ranker as it is, with its own floor. A line is what it '
        "would give with any other cut-off: on coverage for a profile, on the score for a peer.</p>"
    )


def _figure(name: str, drawn: Sequence[Curve], rows: Sequence[Measures], order: Sequence[str]) -> str:
    curves = [curve for curve in drawn if curve.set == name]
    points = operating_points(rows, name, unanswerable=curves[0].unanswerable)
    identifier = f"figure-{curves[0].apps}-{list(dict.fromkeys(curve.set for curve in drawn)).index(name)}"
    title = f"{name}, {_apps(curves[0].apps)}: R@5 against false answers"
    return (
        f"<figure>\n{draw_figure(identifier, title=title, curves=curves, points=points, order=order)}\n"
        f"<figcaption><strong>{escape(name)}</strong>. False answers: to {escape(curves[0].unanswerable)}."
        f"</figcaption>\n{_points_table(curves)}\n</figure>"
    )


def operating_points(rows: Iterable[Measures], name: str, *, unanswerable: str) -> list[OperatingPoint]:
    """Where each ranker stands in one set, held against the same queries as its curve."""
    rows = list(rows)
    mine = [row for row in rows if row.set == name and row.r5 is not None]
    offtopic = {row.ranker: row.false for row in rows if row.r5 is None and row.false is not None}
    found = []
    for row in mine:
        false = offtopic.get(row.ranker) if unanswerable == OFFTOPIC else row.alone
        if false is not None and row.r5 is not None:
            found.append(OperatingPoint(ranker=row.ranker, false=false, r5=row.r5))
    return found


def _points_table(curves: Sequence[Curve]) -> str:
    columns = ("ranker", "cut-off", "R@5", "empty", "false")
    head = "".join(f'<th scope="col">{column}</th>' for column in columns)
    body = "\n".join(
        f'<tr><th scope="row">{escape(curve.ranker)}</th><td>{point.cut:.3g}</td><td>{point.r5:.3f}</td>'
        f"<td>{point.empty:.3f}</td><td>{point.false:.3f}</td></tr>"
        for curve in curves
        for point in curve.points
    )
    return (
        f'<details><summary>The points as a table</summary><div class="wide"><table><thead><tr>{head}</tr></thead>'
        f"\n<tbody>\n{body}\n</tbody></table></div></details>"
    )
