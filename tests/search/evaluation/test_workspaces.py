"""Workspaces hold an app or lack it, are of the size asked for, and are the same on every run."""

from search.evaluation.workspaces import Connector, draw, labels_of
from search.ranking import ToolDocument


def connectors(**sizes: int) -> dict[str, Connector]:
    return {
        app: Connector(app, tuple(ToolDocument(f"{app}{n}", f"{app}_{n}", "", app.capitalize()) for n in range(size)))
        for app, size in sizes.items()
    }


APPS = connectors(asana=10, box=10, clio=10, dropbox=10, tiny=2)


def test_a_workspace_holds_its_app_and_another_lacks_it() -> None:
    drawn = draw(APPS, 3, seed=1)
    assert all(app in drawn.holding[app] and app not in drawn.lacking[app] for app in APPS)


def test_workspaces_are_of_the_size_asked_for() -> None:
    drawn = draw(APPS, 3, seed=1)
    assert {len(apps) for apps in (*drawn.holding.values(), *drawn.lacking.values())} == {3}


def test_a_workspace_larger_than_the_catalog_holds_all_of_it_but_small_apps() -> None:
    assert draw(APPS, 50, seed=1).holding["asana"] == ("asana", "box", "clio", "dropbox")


def test_the_same_seed_draws_the_same_workspaces() -> None:
    assert draw(APPS, 2, seed=1).holding == draw(dict(reversed(APPS.items())), 2, seed=1).holding
    assert draw(APPS, 2, seed=1) != draw(APPS, 2, seed=2)


def test_apps_of_one_suite_are_never_drawn_beside_each_other() -> None:
    drawn = draw(connectors(googledrive=10, googledocs=10, box=10), 3, seed=1)
    assert drawn.holding["googledrive"] == ("box", "googledrive")
    assert drawn.lacking["googledrive"] == ("box",)


def test_an_off_topic_query_is_always_asked_in_the_same_workspace() -> None:
    drawn = draw(APPS, 2, seed=1)
    assert drawn.for_offtopic("hello") == drawn.for_offtopic("hello")


def test_labels_are_those_of_the_connectors() -> None:
    assert labels_of([APPS["box"], APPS["asana"]]) == ("Asana", "Box")
    assert labels_of([]) == ()
