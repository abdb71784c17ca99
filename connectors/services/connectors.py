"""Changing a connector by hand: where its calls go, how they authenticate, what they may take, whether it is there."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from accesscontrol import audit, versions
from accesscontrol.exceptions import NotFound
from accesscontrol.models import Member, Surface
from accesscontrol.permissions import Permission
from accesscontrol.services import authority
from connectors.auth_scheme import AuthKind
from connectors.models import Connector
from connectors.services import destinations

CHANGEABLE = frozenset(
    {"label", "aliases", "base_url", "hosts", "auth", "max_concurrent_calls", "calls_per_minute", "enabled"}
)


@transaction.atomic
def create(*, connector: Connector, surface: Surface, actor: Member | None = None) -> Connector:
    """One without tools, for an import to fill. Raises MemberNotActive, PermissionRequired, ValidationError."""
    _require(connector, actor)
    _check(connector)
    connector.save(force_insert=True)
    _record("connector.create", connector, [], surface, actor)
    return connector


@transaction.atomic
def change(
    *, connector: Connector, changes: Mapping[str, Any], surface: Surface, actor: Member | None = None
) -> Connector:
    """Sets the fields of `CHANGEABLE` that are given, and touches no other: somebody else may have changed those.

    An account stays trusted where it was authorized: one whose connector may send its credential elsewhere by now, or
    authenticates in a way that it cannot, needs signing in again. Raises MemberNotActive, PermissionRequired, NotFound,
    ValidationError.
    """
    assert changes.keys() <= CHANGEABLE
    _require(connector, actor)
    locked = _locked(connector)
    base_url, hosts, auth = locked.base_url, locked.hosts, locked.auth
    changed = sorted(name for name, value in changes.items() if getattr(locked, name) != value)
    if not changed:
        return locked
    for name in changed:
        setattr(locked, name, changes[name])
    _check(locked)
    locked.save(update_fields=[*changed, "updated_at"])
    destinations.distrust_if_moved(locked, base_url)
    destinations.distrust_if_widened(locked, hosts)
    destinations.distrust_if_unfit(locked, auth)
    _record("connector.change", locked, changed, surface, actor)
    return locked


@transaction.atomic
def delete(*, connector: Connector, surface: Surface, actor: Member | None = None) -> None:
    """With its tools and accounts. Raises MemberNotActive, PermissionRequired, NotFound."""
    _require(connector, actor)
    locked = _locked(connector)
    _record("connector.delete", locked, [], surface, actor)
    locked.delete()


def _require(connector: Connector, actor: Member | None) -> None:
    """The organization's lock first: whoever lost the permission a moment ago changes nothing any more."""
    versions.bump(connector.organization)
    authority.require(actor, Permission.CONNECTOR_MANAGE, connector.organization)


def _check(connector: Connector) -> None:
    """Raises ValidationError, also for a scheme that nothing could authenticate by."""
    connector.full_clean()
    try:
        _ = connector.auth_scheme.fields
    except (AttributeError, KeyError, TypeError, ValueError):
        kinds = ", ".join(AuthKind)
        raise ValidationError(
            {"auth": f'Say how it authenticates, as in {{"kind": "bearer"}}; one of {kinds}.'}
        ) from None


def _locked(connector: Connector) -> Connector:
    rows = Connector.objects.select_for_update(of=("self",), no_key=True).select_related("organization")
    found = rows.filter(pk=connector.pk).first()
    if found is None:
        raise NotFound("connector")
    return found


def _record(action: str, connector: Connector, changed: list[str], surface: Surface, actor: Member | None) -> None:
    """Names what changed, and not to what."""
    audit.record(
        organization=connector.organization,
        action=action,
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"connector:{connector.slug}",
        detail={"changed": changed} if changed else {},
    )
