"""One figure: recall against false answers as an inline SVG, its colours taken from the page's CSS variables.

The horizontal axis runs by square root: what matters happens below a tenth.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from search.evaluation.curve import Curve

WIDTH, HEIGHT = 460, 320
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 14, 46
FALSE_TICKS = (0, 0.01, 0.05, 0.1, 0.25, 0.5, 1)
RECALL_TICKS = (0, 0.2, 0.4, 0.6, 0.8, 1)
SERIES = 6
DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 4", "1 4")


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingPoint:
    """Where a ranker stands as it is, with its own floor."""

    ranker: str
    false: float
    r5: float


def draw_figure(
    identifier: str, *, title: str, curves: Sequence[Curve], points: Sequence[OperatingPoint], order: Sequence[str]
) -> str:
    """`order`: every ranker of the page, so that one keeps its colour, dash and place in the legend."""
    return "\n".join(
        [
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="{identifier}-title {identifier}-desc">',
            f'<title id="{identifier}-title">{escape(title)}</title>',
            f'<desc id="{identifier}-desc">{escape(_description(points))}</desc>',
            *_axes(),
            *(_line(curve, order.index(curve.ranker)) for curve in curves),
            *(_marker(point, order.index(point.ranker)) for point in points),
            "</svg>",
        ]
    )


def draw_key(number: int) -> str:
    """The stroke of one ranker, for the legend."""
    return (
        '<svg class="key" viewBox="0 0 34 12" aria-hidden="true">'
        f'<path class="curve s{number % SERIES}" d="M1 6H33"{_dash(number)}/>'
        f'<circle class="point s{number % SERIES}" cx="17" cy="6" r="4"/></svg>'
    )


def _description(points: Sequence[OperatingPoint]) -> str:
    said = [f"{p.ranker} as it is: R@5 {p.r5:.3f} at {p.false:.3f} false answers." for p in points]
    return " ".join(["Recall among the first five (up) against false answers (right).", *said])


def _axes() -> Iterable[str]:
    for value in RECALL_TICKS:
        y = _y(value)
        yield f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>'
    for value in FALSE_TICKS:
        x = _x(value)
        yield f'<path class="grid" d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}"/>'
        yield f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{value:g}</text>'
    middle = (TOP + HEIGHT - BOTTOM) / 2
    yield f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">false answers</text>'
    yield f'<text transform="rotate(-90 14 {middle})" x="14" y="{middle}" text-anchor="middle">R@5</text>'


def _line(curve: Curve, number: int) -> str:
    corners = dict.fromkeys(f"{_x(point.false):.1f} {_y(point.r5):.1f}" for point in curve.points)
    path = "M" + "L".join(corners)
    return f'<path class="curve s{number % SERIES}" d="{path}"{_dash(number)}/>'


def _marker(point: OperatingPoint, number: int) -> str:
    place = f'cx="{_x(point.false):.1f}" cy="{_y(point.r5):.1f}"'
    label = escape(f"{point.ranker}: R@5 {point.r5:.3f}, false {point.false:.3f}")
    return f'<circle class="point s{number % SERIES}" {place} r="5"><title>{label}</title></circle>'


def _dash(number: int) -> str:
    dash = DASHES[number % len(DASHES)]
    return f' stroke-dasharray="{dash}"' if dash else ""


def _x(false: float) -> float:
    return LEFT + math.sqrt(false) * (WIDTH - LEFT - RIGHT)


def _y(recall: float) -> float:
    return HEIGHT - BOTTOM - recall * (HEIGHT - TOP - BOTTOM)
