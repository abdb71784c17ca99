"""Whom an account or a toolbox is shared with, within its own page."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest

from accesscontrol.admin.inlines import ServiceInline
from accesscontrol.admin.tenant import organization_of
from accesscontrol.models import Member, Surface, Team
from connectors.models import Level, Share
from connectors.models.share import Target
from connectors.services import sharing


class ShareForm(forms.ModelForm[Share]):
    """A stored share changes its level; another grantee is another row."""

    class Meta:
        model = Share
        fields = ("member", "team", "whole_organization", "level")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.instance._state.adding:
            for name in ("member", "team", "whole_organization"):
                self.fields[name].disabled = True

    def _post_clean(self) -> None:
        """The organization is that of what is shared, and not asked for."""
        target = self.instance.connection or self.instance.toolbox
        self.instance.organization = organization_of(target)
        super()._post_clean()  # type: ignore[misc]


class ShareInline(ServiceInline):
    model = Share
    form = ShareForm
    fields = ("member", "team", "whole_organization", "level", "shared_by")
    readonly_fields = ("shared_by",)
    extra = 0

    def get_queryset(self, request: HttpRequest) -> QuerySet[Share]:
        rows: QuerySet[Share] = super().get_queryset(request)
        return rows.select_related("member__user", "team", "shared_by__user", "organization")

    def choices_for(self, field: str, parent: Any) -> QuerySet[Any]:
        home = organization_of(parent)
        if field == "team":
            return Team.objects.of(home)
        return Member.objects.of(home).exclude(status=Member.Status.REMOVED).select_related("user")


def save_shares(formset: Any, target: Target, actor: Member) -> None:
    by: dict[str, Any] = {"target": target, "surface": Surface.ADMIN, "actor": actor}
    formset.save(commit=False)
    for row in formset.deleted_objects:
        sharing.unshare(grantee=_grantee(row), **by)
    for row in (*formset.new_objects, *(row for row, _ in formset.changed_objects)):
        sharing.share(grantee=_grantee(row), level=Level(row.level), **by)


def _grantee(share: Share) -> sharing.Grantee:
    return share.member or share.team or share.organization
