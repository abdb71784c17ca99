"""Answering requests and revoking exemptions in the admin, and what happens at once."""

import threading
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from accesscontrol.exceptions import Conflict, Refusal
from accesscontrol.models import AccessRequest, Exemption, Member, Surface
from accesscontrol.services import access_requests, memberships
from connectors.models import Connector
from tests import cast
from tests.accesscontrol.asking import approve, ask, block

State = AccessRequest.State


class TestTheAdmin:
    @pytest.fixture
    def client(self, pam: Member) -> Client:
        client = Client()
        client.force_login(pam.user)
        return client

    def change(self, request: AccessRequest) -> str:
        return reverse("admin:accesscontrol_accessrequest_change", args=[request.pk])

    def test_a_request_is_answered_on_its_page_and_closed_after_that(
        self, client: Client, notion: Connector, bob: Member, pam: Member
    ) -> None:
        request = ask(bob, reason="Clean-up in March")
        assert "Clean-up in March" in client.get(self.change(request)).content.decode()
        client.post(self.change(request), {"decision": "approve", "answer": "For March."})
        request.refresh_from_db()
        assert (request.state, request.answer, request.resolved_by) == (State.APPROVED, "For March.", pam)
        assert Exemption.objects.get().request == request
        assert 'name="decision"' not in client.get(self.change(request)).content.decode()
        assert client.post(self.change(request), {"decision": "deny", "answer": ""}).status_code == 403

    def test_a_refusal_is_told_on_the_page(self, client: Client, notion: Connector, bob: Member) -> None:
        request = ask(bob)
        assert "Rules for the role deny it" in client.get(self.change(request)).content.decode()
        block(bob, connectors=["notion"])
        assert "in person restricts the whole app" in client.get(self.change(request)).content.decode()
        said = client.post(self.change(request), {"decision": "approve", "answer": ""}, follow=True).content.decode()
        assert "in person restricts the whole app" in said
        assert not Exemption.objects.exists()

    def test_a_name_that_nothing_has_is_told(self, client: Client, bob: Member) -> None:
        block(bob.role, connectors=["gone"])
        assert "Nothing here is called gone.tool " in client.get(self.change(ask(bob, "gone", "tool"))).content.decode()
        assert "Nothing here is called gone " in client.get(self.change(ask(bob, "gone", ""))).content.decode()

    def test_several_are_answered_from_the_list_each_for_itself(
        self, client: Client, notion: Connector, bob: Member, pam: Member
    ) -> None:
        block(pam.role, connectors=["notion"])
        own, other = ask(pam), ask(bob)
        selected = {"action": "approve", "_selected_action": [str(own.pk), str(other.pk)]}
        said = client.post(reverse("admin:accesscontrol_accessrequest_changelist"), selected, follow=True)
        assert "your own request" in said.content.decode()
        assert [exemption.member for exemption in Exemption.objects.all()] == [bob]

    def test_an_exemption_is_revoked_from_the_list_and_kept(
        self, client: Client, notion: Connector, bob: Member, pam: Member
    ) -> None:
        exemption = approve(ask(bob))
        selected = {"action": "revoke", "_selected_action": [str(exemption.pk)]}
        client.post(reverse("admin:accesscontrol_exemption_changelist"), selected)
        exemption.refresh_from_db()
        assert exemption.revoked_at is not None
        assert exemption.revoked_by == pam

    def test_another_organization_s_request_is_not_there(self, client: Client, charlie: Member) -> None:
        block(charlie.role, connectors=["notion"])
        request = ask(charlie)
        assert client.post(self.change(request), {"decision": "approve", "answer": ""}).status_code in (302, 404)
        assert "charlie" not in client.get(reverse("admin:accesscontrol_accessrequest_changelist")).content.decode()
        assert not Exemption.objects.exists()


def at_once(*actions: Callable[[], object]) -> list[Refusal]:
    """Runs each action in a thread and on a connection of its own, and returns the refusals."""
    barrier, refusals, failures = threading.Barrier(len(actions)), list[Refusal](), list[BaseException]()

    def run(action: Callable[[], object]) -> None:
        barrier.wait(10)
        try:
            action()
        except Refusal as refusal:
            refusals.append(refusal)
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert failures == []
    return refusals


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    @pytest.fixture
    def dan(self) -> Member:
        member = cast.member(cast.organization("race"), "dan")
        block(member.role, connectors=["notion"])
        return member

    def test_ten_asks_are_one_request(self, dan: Member) -> None:
        assert at_once(*[lambda: ask(dan)] * 10) == []
        assert AccessRequest.objects.get().times_asked == 10

    def test_of_two_administrators_one_answers(self, dan: Member) -> None:
        first, second = (cast.member(dan.organization, name, "people-admin") for name in ("ann", "ben"))
        for _ in range(5):
            request = ask(dan)
            refusals = at_once(
                lambda request=request: approve(request, first),  # type: ignore[misc]
                lambda request=request: access_requests.deny(  # type: ignore[misc]
                    request=request, surface=Surface.ADMIN, actor=second
                ),
            )
            assert [type(refusal) for refusal in refusals] == [Conflict]
            request.refresh_from_db()
            assert (request.state == State.APPROVED) == Exemption.objects.live().exists()
            for exemption in Exemption.objects.live():
                access_requests.revoke(exemption=exemption, surface=Surface.SYSTEM)

    def test_what_is_withdrawn_while_it_is_approved_is_one_of_them(self, dan: Member) -> None:
        for _ in range(5):
            request = ask(dan)
            refusals = at_once(
                lambda request=request: approve(request),  # type: ignore[misc]
                lambda request=request: access_requests.withdraw(  # type: ignore[misc]
                    member=dan, request_id=request.pk, surface=Surface.SYSTEM
                ),
            )
            assert [type(refusal) for refusal in refusals] == [Conflict]
            for exemption in Exemption.objects.live():
                access_requests.revoke(exemption=exemption, surface=Surface.SYSTEM)

    def test_no_exemption_outlives_a_removal_that_races_with_its_approval(self, dan: Member) -> None:
        request = ask(dan)
        at_once(
            lambda: approve(request),
            lambda: memberships.remove(member=dan, surface=Surface.SYSTEM),
        )
        assert not Exemption.objects.live().exists()
        assert not AccessRequest.objects.open().exists()
