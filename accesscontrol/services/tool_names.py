"""Rules, exemptions and requests name tools by name; this is what becomes of them when a product renames some.

Nothing opens by that, and nothing that was open closes: what named the old name names the new one too. The old one
stays, because forks that still have it inherit blocks, and people still call by it. Only where another tool has the old
name from now on, what opens (an allow rule, an exemption) lets go of it: it was never meant for that tool.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
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
    surface: Surface
    actor: Member | None

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
    surface: Surface,
    actor: Member | None = None,
) -> None:
    """Lets what names a tool of this connector name it by its new name too; `names` leads from old to new.

    `reused` are the old names that another tool of the connector has from now on. Nobody's authority is asked: whoever
    may renew the catalog decides nothing here.
    """
    versions.bump(organization, signal=restrictions_changed)
    renaming = _Renaming(
        organization=organization, connector=connector, names=names, reused=reused, surface=surface, actor=actor
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
    # `created_by` stays: who wrote the rule may still lift it.
    new_of = {
        target_of(renaming.connector, old): target_of(renaming.connector, new) for old, new in renaming.names.items()
    }
    gone = {target_of(renaming.connector, old) for old in renaming.reused}
    for rule in _rules(renaming.organization, new_of).select_for_update(of=("self",), no_key=True):
        before = list(rule.tools)
        kept = [item for item in before if rule.mode == Restriction.Mode.BLOCK or item not in gone]
        rule.tools = list(dict.fromkeys([*kept, *(new_of[item] for item in before if item in new_of)]))
        if rule.tools != before:
            rule.save(update_fields=["tools"])
            renaming.record(
                "restriction.follow_rename",
                f"restriction:{rule.pk}",
                mode=rule.mode,
                added=sorted(set(rule.tools) - set(before)),
                removed=sorted(set(before) - set(rule.tools)),
            )


def _exemptions_follow(renaming: _Renaming) -> None:
    live = Exemption.objects.live().filter(
        member__organization=renaming.organization, connector=renaming.connector, tool__in=renaming.names
    )
    found = list(live.select_related("request", "member__user"))
    live.filter(tool__in=renaming.reused).update(revoked_at=timezone.now())
    for exemption in found:
        _copy(exemption, renaming)


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
