"""Rules, exemptions and requests name tools by name; this is what becomes of them when a product renames some.

Nothing opens by that, and nothing that was open closes: what named the old name names the new one too. The old one
stays, because forks that still have it inherit blocks, and people still call by it. Only what opens (an allow rule, an
exemption) lets go of a name that was never meant for the tool which has it from now on: of the old name where another
tool takes that, and of the new one where it named some tool that is gone and not the one that is renamed.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accesscontrol import audit, versions
from accesscontrol.models import AccessRequest, Exemption, Member, Organization, Restriction, Surface
from accesscontrol.models.access_request import target_of
from accesscontrol.signals import restrictions_changed


@dataclass(frozen=True, kw_only=True)
class _Renaming:
    organization: Organization
    connector: str
    names: Mapping[str, str]
    reused: Collection[str]
    given: Collection[str]
    surface: Surface
    actor: Member | None

    @property
    def moved(self) -> set[str]:
        """The names that another tool has from now on."""
        return {*self.reused, *self.given}

    def items(self, tools: Iterable[str]) -> set[str]:
        """As rules write them."""
        return {target_of(self.connector, tool) for tool in tools}

    def record(self, action: str, target: str, **detail: str | list[str]) -> None:
        audit.record(
            organization=self.organization,
            action=action,
            surface=self.surface,
            outcome="ok",
            actor=self.actor,
            target=target,
            detail=detail,
        )


@transaction.atomic
def follow_renames(
    *,
    organization: Organization,
    connector: str,
    names: Mapping[str, str],
    reused: Collection[str] = (),
    given: Collection[str] = (),
    surface: Surface,
    actor: Member | None = None,
) -> None:
    """Lets what names a tool of this connector name it by its new name too; `names` leads from old to new.

    `reused` are the old names that another tool of the connector has from now on, `given` the new ones that their tools
    did not have before. Nobody's authority is asked: whoever may renew the catalog decides nothing here.
    """
    versions.bump(organization, signal=restrictions_changed)
    renaming = _Renaming(
        organization=organization,
        connector=connector,
        names=names,
        reused=reused,
        given=given,
        surface=surface,
        actor=actor,
    )
    _rules_follow(renaming)
    _exemptions_follow(renaming)
    _requests_follow(renaming)


def rules_naming(organization: Organization, connector: str, tools: Collection[str]) -> dict[str, list[Restriction]]:
    """The rules that name each of these tools itself, those that nothing names left out."""
    found: dict[str, list[Restriction]] = {}
    items = {target_of(connector, tool): tool for tool in tools}
    for rule in _rules(organization, items).select_related("role", "member__user"):
        for item in items.keys() & set(rule.tools):
            found.setdefault(items[item], []).append(rule)
    return found


def _rules(organization: Organization, items: Iterable[str]) -> QuerySet[Restriction]:
    return Restriction.objects.of(organization).filter(tools__overlap=list(items))


def _rules_follow(renaming: _Renaming) -> None:
    moved = renaming.items(renaming.moved)
    concerned = _rules(renaming.organization, moved | renaming.items(renaming.names))
    for rule in concerned.select_for_update(of=("self",), no_key=True):
        before = list(rule.tools)
        rule.tools = _followed(before, renaming, moved if rule.mode == Restriction.Mode.ALLOW else set())
        if rule.tools != before:
            # `created_by` stays: who wrote the rule may still lift it.
            rule.save(update_fields=["tools"])
            renaming.record(
                "restriction.follow_rename",
                f"restriction:{rule.pk}",
                mode=rule.mode,
                added=sorted(set(rule.tools) - set(before)),
                removed=sorted(set(before) - set(rule.tools)),
            )


def _followed(items: Sequence[str], renaming: _Renaming, let_go: Collection[str]) -> list[str]:
    new_of = {
        target_of(renaming.connector, old): target_of(renaming.connector, new) for old, new in renaming.names.items()
    }
    due = {new_of[item] for item in items if item in new_of}
    kept = [item for item in items if item not in let_go or item in due]
    return list(dict.fromkeys([*kept, *(new_of[item] for item in items if item in new_of)]))


def _exemptions_follow(renaming: _Renaming) -> None:
    live = Exemption.objects.live().filter(member__organization=renaming.organization, connector=renaming.connector)
    named = live.filter(tool__in={*renaming.names, *renaming.moved}).select_related("request", "member__user")
    followed = [exemption for exemption in named if exemption.tool in renaming.names]
    due = {(exemption.member_id, renaming.names[exemption.tool]) for exemption in followed}
    for exemption in named:
        if exemption.tool in renaming.moved and (exemption.member_id, exemption.tool) not in due:
            _end(exemption, renaming)
    for exemption in followed:
        _copy(exemption, renaming)


def _end(exemption: Exemption, renaming: _Renaming) -> None:
    Exemption.objects.filter(pk=exemption.pk).update(revoked_at=timezone.now())
    renaming.record(
        "exemption.revoke",
        f"access_request:{exemption.request_id}",
        member=exemption.member.user.email,
        **{"for": exemption.target},
    )


def _copy(exemption: Exemption, renaming: _Renaming) -> None:
    """An exemption of its own, since each can be revoked; with the request that it answers, as approved then."""
    tool = renaming.names[exemption.tool]
    same = Exemption.objects.live().filter(member=exemption.member, connector=exemption.connector, tool=tool)
    if same.exists():
        return
    asked = exemption.request
    request = AccessRequest.objects.create(
        member=exemption.member,
        connector=exemption.connector,
        tool=tool,
        reason=asked.reason,
        times_asked=asked.times_asked,
        state=asked.state,
        resolved_at=asked.resolved_at,
        resolved_by_id=asked.resolved_by_id,
        answer=asked.answer,
    )
    Exemption.objects.create(member=exemption.member, request=request, connector=exemption.connector, tool=tool)
    renaming.record(
        "exemption.follow_rename",
        f"access_request:{request.pk}",
        member=exemption.member.user.email,
        **{"for": request.target, "from": exemption.target},
    )


def _requests_follow(renaming: _Renaming) -> None:
    """An open request asks for the tool by its new name; where the member has asked for that too, both stay."""
    opened = AccessRequest.objects.open().filter(
        member__organization=renaming.organization, connector=renaming.connector, tool__in=renaming.names
    )
    # Asking locks the member, so nothing is asked between the look and the change.
    asking = Member.objects.filter(pk__in=opened.values("member")).order_by("pk")
    list(asking.select_for_update(of=("self",), no_key=True))
    for request in _without_a_twin(list(opened), renaming.names):
        request.tool = renaming.names[request.tool]
        request.save(update_fields=["tool"])


def _without_a_twin(requests: list[AccessRequest], names: Mapping[str, str]) -> Iterator[AccessRequest]:
    for request in requests:
        twin = {"member": request.member_id, "connector": request.connector, "tool": names[request.tool]}
        if not AccessRequest.objects.open().filter(**twin).exists():
            yield request
