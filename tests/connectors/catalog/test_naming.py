"""Tool names out of what documents call their operations."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.catalog.naming import OperationId, tool_names


def _operation(operation_id: str = "", request: str = "GET /things", summary: str = "") -> OperationId:
    method, _, path = request.partition(" ")
    return OperationId(operation_id=operation_id, method=method, path=path, summary=summary)


def _name(operation_id: str = "", request: str = "GET /things", summary: str = "") -> str:
    (name,) = tool_names([_operation(operation_id, request, summary)])
    return name


@pytest.mark.parametrize(
    ("operation_id", "name"),
    [
        ("createPage", "create_page"),
        ("CreateMailBatch", "create_mail_batch"),
        ("retrieve-a-page", "retrieve_a_page"),
        ("get Object By Id", "get_object_by_id"),
        ("admin_apps.approve", "admin_apps_approve"),
        ("getHTMLPage", "get_html_page"),
        ("listIPs", "list_ips"),
        ("getOAuth2Token", "get_oauth2_token"),
        ("GraphQLQuery", "graphql_query"),
        ("findÄpfel", "find_apfel"),
        ("users/list-attestations", "users_list_attestations"),
    ],
)
def test_an_operation_id_becomes_snake_case(operation_id: str, name: str) -> None:
    assert _name(operation_id) == name


@pytest.mark.parametrize(
    ("operation_id", "request_line", "name"),
    [
        ("BookingsController_2024-08-13_createBooking", "POST /v2/bookings", "create_booking"),
        ("UsersController_findAll", "GET /v2/users", "find_all_users"),
        ("listInvoices_v2", "GET /invoices", "list_invoices"),
        ("getV1Charges", "GET /v1/charges", "get_charges"),
        ("read_user_users__user_id__get", "GET /users/{user_id}", "read_user"),
        ("create", "POST /crm/v3/objects/contacts", "create_contacts"),
        ("batch/archive", "POST /crm/v3/objects/contacts/batch/archive", "batch_archive_contacts"),
        ("getThing_9f86d081884c7d659a2feaa0c55ad015", "GET /thing", "get_thing"),
    ],
)
def test_noise_in_an_id_goes_and_a_missing_noun_comes(operation_id: str, request_line: str, name: str) -> None:
    assert _name(operation_id, request_line) == name


@pytest.mark.parametrize("operation_id", ["", "post-/crm/v3/objects", "POST /crm/v3/objects", "作成"])
def test_without_a_usable_id_method_and_path_give_the_name(operation_id: str) -> None:
    assert _name(operation_id, "POST /crm/v3/objects") == "create_crm_objects"


def test_a_short_summary_is_better_than_a_path() -> None:
    assert _name("post-/crm/v3/objects", "POST /crm/v3/objects", "Create an object") == "create_object"
    assert _name("", "GET /users/me", "Retrieve your token's bot user") == "retrieve_token_bot_user"


def test_a_long_summary_is_no_name() -> None:
    summary = "This endpoint lets you look at whatever happens to be in the list today"
    assert _name("", "GET /v1/todos", summary) == "list_todos"


@pytest.mark.parametrize(
    ("request_line", "name"),
    [
        ("GET /v1/users", "list_users"),
        ("GET /v1/users/{id}", "get_user"),
        ("GET /users/{id}/messages", "list_user_messages"),
        ("PUT /api/companies/{id}.json", "update_company"),
        ("DELETE /boxes/{id}", "delete_box"),
        ("PATCH /status/{id}", "update_status"),
        ("POST /tickets/{id}/archive", "archive_ticket"),
        ("POST /admin/api/2021-10/orders.json", "create_admin_orders"),
        ("GET /{id}", "get_by_id"),
        ("GET /", "get"),
    ],
)
def test_a_path_says_one_thing_or_many(request_line: str, name: str) -> None:
    assert _name("", request_line) == name


def test_two_operations_with_one_id_take_their_next_best_names() -> None:
    operations = [
        _operation("listThings", "GET /things/{id}/parts", "List parts of a thing"),
        _operation("listThings", "GET /things", "List things"),
        _operation("listThings", "GET /things/{id}/wheels"),
        _operation("listThings", "GET /things/{id}/wheels/{wheel}/wheels"),
    ]
    assert tool_names(operations) == [
        "list_parts_of_thing",
        "list_things",
        "list_thing_wheels",
        "list_thing_wheel_wheels",
    ]


def test_operations_that_nothing_tells_apart_are_numbered() -> None:
    assert tool_names([_operation("startJob", "POST /job")] * 4) == [
        "start_job",
        "create_job",
        "start_job_2",
        "start_job_3",
    ]


def test_a_long_id_is_cut_and_stays_unique() -> None:
    names = tool_names([_operation("get" + "Long" * 60 + ending) for ending in ("A", "B")])
    assert len(set(names)) == 2
    assert all(len(name) <= 120 for name in names)


operations = st.lists(
    st.builds(
        OperationId,
        operation_id=st.one_of(st.sampled_from(["", "list", "getA", "get_a", "get-a"]), st.text(max_size=30)),
        method=st.sampled_from(["GET", "POST", "DELETE"]),
        path=st.one_of(st.sampled_from(["/a", "/b/{id}", "/"]), st.text(max_size=20).map("/".__add__)),
        summary=st.one_of(st.just(""), st.text(max_size=40)),
    ),
    max_size=12,
)


@given(operations)
def test_names_are_unique_and_plain_whatever_a_document_says(found: list[OperationId]) -> None:
    names = tool_names(found)
    assert len(names) == len(found) == len(set(names))
    assert all(re.fullmatch(r"[a-z0-9]+(?:_[a-z0-9]+)*", name) and len(name) <= 130 for name in names)


@given(operations, st.randoms())
def test_the_order_of_a_document_does_not_change_its_names(found: list[OperationId], random: Random) -> None:
    unique = list(dict.fromkeys(found))
    shuffled = random.sample(unique, len(unique))
    named = dict(zip(unique, tool_names(unique), strict=True))
    if len({(it.path, it.method) for it in unique}) == len(unique):
        assert dict(zip(shuffled, tool_names(shuffled), strict=True)) == named


def test_a_new_operation_renames_no_other() -> None:
    before = [_operation("listUsers", "GET /users"), _operation("createUser", "POST /users")]
    names = tool_names(before)
    assert tool_names([_operation("deleteUser", "DELETE /users/{id}"), *before])[1:] == names
