"""Who is told of what by mail, over a real SMTP server; and that no server being down stops or slows a change."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from accesscontrol import outbox
from accesscontrol.models import Member, Notice, Organization, Role, Surface, User
from accesscontrol.services import access_requests, memberships, notices
from accesscontrol.tasks import send_notices, sweep_notices
from connectors.models import Connector
from connectors.services import destinations
from elaichi.celery import app
from elaichi.mailer import mailer
from elaichi.stack import paths
from tests import cast
from tests.accesscontrol.asking import approve, ask, block
from tests.accesscontrol.mail_server import MailServer
from tests.elaichi.stack.observe import eventually
from tests.search.test_propagation import worker

committing = pytest.mark.django_db(transaction=True)


@pytest.fixture
def mail(settings: Settings) -> Iterator[MailServer]:
    server = MailServer()
    server.start()
    settings.MAILERS = {"default": mailer(server.url)}
    yield server
    server.stop()


def send(after: timedelta = timedelta(0)) -> None:
    outbox.send_due(now=timezone.now() + after)


def text_of(mail: MailServer) -> str:
    return "\n".join(f"{message['Subject']}\n{message.get_content()}" for message in mail.taken)


def role_of(home: Organization, slug: str) -> Role:
    return Role.objects.get(organization=home, slug=slug)


def told(kind: Notice.Kind) -> list[str]:
    return sorted(Notice.objects.filter(kind=kind).values_list("member__user__email", flat=True))


class TestAsking:
    def test_every_administrator_who_may_answer_is_told_once(
        self, notion: Connector, bob: Member, alice: Member, pam: Member, charlie: Member, mail: MailServer
    ) -> None:
        cast.member(bob.organization, "tom", "team-admin")
        gone = cast.member(bob.organization, "gil", "people-admin")
        memberships.suspend(member=gone, surface=Surface.SYSTEM)
        request = ask(bob, reason="The quarter ends on Friday")
        ask(bob, reason="Still waiting")
        assert told(Notice.Kind.ACCESS_REQUESTED) == ["alice@acme.example", "pam@acme.example"]
        Notice.objects.filter(kind=Notice.Kind.ACCESS_ENDED).delete()
        send()
        assert mail.recipients == ["alice@acme.example", "pam@acme.example"]
        said = text_of(mail)
        assert "Acme: access to notion.delete_page is asked for" in said
        assert "bob@acme.example" in said
        assert reverse("admin:accesscontrol_accessrequest_change", args=[request.pk]) in said
        assert "quarter" not in said
        assert "waiting" not in said

    def test_an_administrator_who_asks_is_not_told_of_it(self, notion: Connector, alice: Member, pam: Member) -> None:
        block(pam.role, tools=["notion.delete_page"])
        ask(pam)
        assert told(Notice.Kind.ACCESS_REQUESTED) == ["alice@acme.example"]

    def test_fifty_administrators_are_one_statement(self, notion: Connector, bob: Member) -> None:
        for number in range(50):
            cast.member(bob.organization, f"admin{number}", "people-admin")
        with CaptureQueriesContext(connection) as captured:
            ask(bob)
        assert Notice.objects.count() == 50
        written = [query["sql"] for query in captured if 'INSERT INTO "accesscontrol_notice"' in query["sql"]]
        assert len(written) == 1

    def test_a_name_that_is_a_message_is_not_passed_on(
        self, notion: Connector, bob: Member, alice: Member, mail: MailServer
    ) -> None:
        block(bob.role, connectors=["evil now"])
        ask(bob, connector="evil now", tool="go to https://evil.example\r\nBcc: x@evil.example")
        send()
        assert "evil" not in mail.taken[0].as_string()

    def test_asking_over_and_over_floods_nobody(self, notion: Connector, bob: Member, alice: Member) -> None:
        for _ in range(notices.MAX_ASKS + 5):
            request = ask(bob)
            access_requests.withdraw(member=bob, request_id=request.pk, surface=Surface.SYSTEM)
        assert Notice.objects.count() == notices.MAX_ASKS

    def test_the_asker_alone_is_told_of_an_approval(
        self, notion: Connector, bob: Member, alice: Member, mail: MailServer
    ) -> None:
        request = ask(bob)
        Notice.objects.all().delete()
        approve(request, by=alice)
        send()
        assert mail.recipients == ["bob@acme.example"]
        assert "Your request for access to notion.delete_page in Acme was approved." in text_of(mail)
        assert "alice" not in text_of(mail)

    def test_the_asker_alone_is_told_of_a_denial(
        self, notion: Connector, bob: Member, alice: Member, mail: MailServer
    ) -> None:
        request = ask(bob)
        Notice.objects.all().delete()
        access_requests.deny(request=request, answer="Not this year", surface=Surface.ADMIN, actor=alice)
        send()
        assert mail.recipients == ["bob@acme.example"]
        assert "was denied" in text_of(mail)
        assert "Not this year" not in text_of(mail)


class TestMemberships:
    @pytest.mark.parametrize(("change", "word"), [("suspend", "suspended"), ("remove", "ended")])
    def test_the_member_is_told_that_access_ended(
        self, bob: Member, alice: Member, mail: MailServer, change: str, word: str
    ) -> None:
        getattr(memberships, change)(member=bob, surface=Surface.ADMIN, actor=alice)
        send()
        assert mail.recipients == ["bob@acme.example"]
        assert f"Your access to Acme was {word}." in text_of(mail)

    def test_the_member_is_told_of_another_role(self, bob: Member, alice: Member, mail: MailServer) -> None:
        other = role_of(bob.organization, "team-admin")
        for _ in range(2):  # the same role again is no change
            memberships.change_role(member=bob, role=other, surface=Surface.ADMIN, actor=alice)
        send()
        assert mail.recipients == ["bob@acme.example"]
        assert "Your role in Acme is Team Admin now; it was Member." in text_of(mail)

    @pytest.mark.parametrize("end", [memberships.suspend, memberships.remove])
    def test_of_what_waits_only_the_end_is_sent_to_who_is_gone(self, bob: Member, mail: MailServer, end: Any) -> None:
        memberships.change_role(member=bob, role=role_of(bob.organization, "guest"), surface=Surface.SYSTEM)
        end(member=bob, surface=Surface.SYSTEM)
        send()
        assert [message["Subject"].startswith("Acme: your access was") for message in mail.taken] == [True]

    def test_who_is_suspended_is_told_of_nothing_that_follows(self, bob: Member) -> None:
        memberships.suspend(member=bob, surface=Surface.SYSTEM)
        memberships.change_role(member=bob, role=role_of(bob.organization, "guest"), surface=Surface.SYSTEM)
        assert set(Notice.objects.values_list("kind", flat=True)) == {Notice.Kind.ACCESS_ENDED}


def test_each_owner_is_told_once_that_accounts_need_connecting_again(
    notion: Connector, bob: Member, pam: Member, charlie: Member, mail: MailServer
) -> None:
    cast.connection(bob, notion, "Second")
    cast.connection(pam, notion, "Private finances")
    cast.connection(charlie, cast.connector(charlie.organization))
    before, notion.base_url = notion.base_url, "https://elsewhere.example"
    assert destinations.distrust_if_moved(notion, before) == 3
    assert destinations.distrust_if_moved(notion, notion.base_url) == 0
    send()
    assert mail.recipients == ["bob@acme.example", "pam@acme.example"]
    assert reverse("admin:connectors_connection_changelist") in text_of(mail)
    assert not [word for word in ("Private", "Second", "elsewhere") if word in text_of(mail)]


class TestSending:
    @committing
    def test_two_senders_at_once_send_each_notice_once(self, bob: Member, mail: MailServer) -> None:
        for number in range(30):
            memberships.suspend(member=cast.member(bob.organization, f"p{number}"), surface=Surface.SYSTEM)
        first_is_at_work, first_may_go_on = threading.Event(), threading.Event()

        def hold_the_first(_: object) -> None:
            if not first_is_at_work.is_set():
                first_is_at_work.set()
                assert first_may_go_on.wait(20)

        def send_first() -> None:
            try:
                send()
            finally:
                connection.close()

        mail.before_taking = hold_the_first
        first = threading.Thread(target=send_first)
        first.start()
        assert first_is_at_work.wait(20)
        send()
        assert len(mail.taken) == 30 - outbox.BATCH
        first_may_go_on.set()
        first.join(20)
        send()
        assert len(mail.taken) == len(set(mail.recipients)) == 30
        assert not Notice.objects.filter(sent_at=None).exists()

    def test_what_was_missed_while_the_mail_server_was_down_is_sent_by_the_sweep(
        self, bob: Member, pam: Member, mail: MailServer
    ) -> None:
        mail.stop()
        memberships.suspend(member=bob, surface=Surface.SYSTEM)
        memberships.suspend(member=pam, surface=Surface.SYSTEM)
        sweep_notices()
        # The one that found the server down waits a minute; the other was not tried, and is charged for nothing.
        assert sorted(Notice.objects.values_list("attempts", flat=True)) == [0, 1]
        mail.start()
        sweep_notices()
        assert len(mail.taken) == 1
        send(after=outbox.WAITS[0])
        assert mail.recipients == ["bob@acme.example", "pam@acme.example"]

    def test_it_gives_up_after_five_attempts_and_keeps_the_error_s_class_alone(
        self, bob: Member, mail: MailServer
    ) -> None:
        memberships.suspend(member=bob, surface=Surface.SYSTEM)
        mail.refused = {"bob@"}
        for number in range(7):
            send(after=timedelta(days=number))
        notice = Notice.objects.get()
        assert (notice.attempts, notice.sent_at, notice.last_error_class) == (5, None, "SMTPRecipientsRefused")
        mail.refused = set()
        send(after=timedelta(days=9))
        assert mail.taken == []

    def test_an_address_that_is_refused_keeps_nobody_else_waiting(
        self, bob: Member, pam: Member, mail: MailServer
    ) -> None:
        mail.refused = {"bob@"}
        memberships.suspend(member=bob, surface=Surface.SYSTEM)
        memberships.suspend(member=pam, surface=Surface.SYSTEM)
        send()
        assert mail.recipients == ["pam@acme.example"]

    def test_old_notices_go_and_new_ones_stay(self, bob: Member, pam: Member, mail: MailServer) -> None:
        memberships.suspend(member=bob, surface=Surface.SYSTEM)
        Notice.objects.update(created_at=timezone.now() - outbox.KEPT)
        memberships.suspend(member=pam, surface=Surface.SYSTEM)
        sweep_notices()
        assert [notice.member for notice in Notice.objects.all()] == [pam]


@pytest.fixture
def broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A queue of the test's own, empty; for this process and for those that it starts."""
    monkeypatch.setenv("ELAICHI_VAR", str(tmp_path))
    monkeypatch.setenv("CELERY_BROKER_URL", "filesystem://")
    paths.broker().mkdir()
    folder = str(paths.broker())
    options = {"data_folder_in": folder, "data_folder_out": folder, "control_folder": str(tmp_path / "broker-control")}
    monkeypatch.setitem(app.conf, "broker_transport_options", options)
    return paths.broker()


def waiting_tasks(broker: Path) -> int:
    return sum(send_notices.name in message.read_text() for message in broker.iterdir())


@committing
def test_a_worker_sends_what_a_change_has_to_tell(
    bob: Member, broker: Path, mail: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMAIL_URL", mail.url)
    monkeypatch.setenv("DEFAULT_FROM_EMAIL", "gateway@acme.example")
    with worker():
        memberships.suspend(member=bob, surface=Surface.SYSTEM)
        assert eventually(lambda: Notice.objects.exclude(sent_at=None).exists())
    assert [(message["From"], message["To"]) for message in mail.taken] == [("gateway@acme.example", bob.user.email)]


@committing
def test_one_transaction_starts_one_task_and_a_rolled_back_one_tells_nobody(
    bob: Member, pam: Member, broker: Path
) -> None:
    with transaction.atomic():
        memberships.suspend(member=bob, surface=Surface.SYSTEM)
        memberships.suspend(member=pam, surface=Surface.SYSTEM)
        assert waiting_tasks(broker) == 0
    assert waiting_tasks(broker) == 1
    with transaction.atomic():
        memberships.remove(member=bob, surface=Surface.SYSTEM)
        transaction.set_rollback(True)
    assert waiting_tasks(broker) == 1
    assert Notice.objects.count() == 2


@committing
def test_with_broker_and_mail_server_down_the_change_is_quick_and_told_of_later(
    bob: Member, pam: Member, broker: Path, mail: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail.stop()
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:  # takes connections and says nothing
        monkeypatch.setenv("CELERY_BROKER_URL", f"redis://127.0.0.1:{silent.getsockname()[1]}/0")
        monkeypatch.setitem(app.conf, "broker_transport_options", {})
        memberships.suspend(member=bob, surface=Surface.SYSTEM)  # the first of a process loads the broker's client
        started = time.monotonic()
        memberships.suspend(member=pam, surface=Surface.SYSTEM)
        assert time.monotonic() - started < 2.5
    mail.start()
    sweep_notices()
    assert mail.recipients == ["bob@acme.example", "pam@acme.example"]


def test_the_clock_sweeps_notices_each_minute() -> None:
    entries = [entry for entry in app.conf.beat_schedule.values() if entry["task"] == sweep_notices.name]
    assert [entry["schedule"] for entry in entries] == [60]


def test_the_admin_lists_who_was_told_to_who_manages_members_and_never_what(
    bob: Member, pam: Member, charlie: Member
) -> None:
    memberships.change_role(member=bob, role=role_of(bob.organization, "guest"), surface=Surface.SYSTEM)
    notice = Notice.objects.get()
    pages = [
        reverse("admin:accesscontrol_notice_changelist"),
        reverse("admin:accesscontrol_notice_change", args=[notice.pk]),
    ]
    assert [pages_of(pam.user, page)[0] for page in pages] == [200, 200]
    assert all(
        bob.user.email in text and notice.subject not in text for _, text in [pages_of(pam.user, p) for p in pages]
    )
    assert bob.user.email not in pages_of(charlie.user, pages[0])[1]
    assert pages_of(charlie.user, pages[1])[0] == 404
    plain = cast.member(bob.organization, "tom", "team-admin", staff=True)
    assert [pages_of(plain.user, page)[0] for page in pages] == [403, 403]
    assert pages_of(pam.user, reverse("admin:accesscontrol_notice_add"))[0] == 403


def pages_of(user: User, page: str) -> tuple[int, str]:
    client = Client()
    client.force_login(user)
    response = client.get(page)
    return response.status_code, response.content.decode()


@pytest.mark.parametrize(
    ("url", "port", "tls", "ssl"),
    [
        ("smtp://a:b%40c@h:25", 25, False, False),
        ("smtp+tls://a:b%40c@h", None, True, False),
        ("smtp+ssl://a:b%40c@h", None, False, True),
    ],
)
def test_the_mail_server_is_named_by_a_url(url: str, port: int | None, tls: bool, ssl: bool) -> None:
    options = mailer(url)["OPTIONS"]
    assert (options["host"], options["port"], options["username"], options["password"]) == ("h", port, "a", "b@c")
    assert (options["use_tls"], options["use_ssl"]) == (tls, ssl)


def test_without_one_mails_go_to_the_worker_s_output() -> None:
    assert mailer("consolemail://") == {"BACKEND": "django.core.mail.backends.console.EmailBackend"}
