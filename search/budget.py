"""How many characters each of several texts may have where together they may have so many."""

from collections.abc import Sequence


def allowances(sizes: Sequence[int], total: int) -> list[int]:
    """A bound for each, in their order: what all of the larger ones have in common when the small ones are whole.

    Max-min fairness (Bertsekas and Gallager, Data Networks, 6.5.2): nobody gets more than they need, and what is left
    is shared alike. The bounds add up to at most `total`, and none is below what the smallest needs or a fair share is.
    """
    bounds = [0] * len(sizes)
    left = max(total, 0)
    by_size = sorted(range(len(sizes)), key=sizes.__getitem__)
    for position, index in enumerate(by_size):
        bounds[index] = min(sizes[index], left // (len(by_size) - position))
        left -= bounds[index]
    return bounds
