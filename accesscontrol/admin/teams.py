"""Teams and who is in them."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from unfold.decorators import display

from accesscontrol.admin.inlines import ServiceInline
from accesscontrol.admin.refusals import RefusalsShown
from accesscontrol.admin.tenant import TenantAdmin, actor_in
from accesscontrol.models import Member, Surface, Team, TeamMembership, User
from accesscontrol.permissions import Permission
from accesscontrol.services import teams


class TeamMembershipForm(forms.ModelForm[TeamMembership]):
    """A row is of one member for good; another member is another row."""

    class Meta:
        model = TeamMembership
        fields = ("member", "is_admin")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["member"].disabled = not self.instance._state.adding


class TeamMembershipInline(ServiceInline):
    model = TeamMembership
    form = TeamMembershipForm
    fields = ("member", "is_admin")
    extra = 0

    def get_queryset(self, request: HttpRequest) -> QuerySet[TeamMembership]:
        rows: QuerySet[TeamMembership] = super().get_queryset(request)
        return rows.select_related("member__user", "team")

    def choices_for(self, field: str, parent: Team) -> QuerySet[Any]:
        return Member.objects.of(parent.organization).exclude(status=Member.Status.REMOVED).select_related("user")


@admin.register(Team)
class TeamAdmin(RefusalsShown, TenantAdmin[Team]):
    """A team's own admins manage it; who manages members manages every team."""

    view_permission = Permission.TEAM_VIEW
    manage_permission = Permission.TEAM_MANAGE
    list_display = ("name", "member_count", "organization", "created_at")
    list_filter = ("organization",)
    list_select_related = ("organization",)
    search_fields = ("name",)
    fields = ("organization", "name")
    inlines = (TeamMembershipInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Team]:
        active = Count("memberships", filter=Q(memberships__member__status=Member.Status.ACTIVE))
        return super().get_queryset(request).annotate(active_members=active)

    def get_readonly_fields(self, request: HttpRequest, obj: Team | None = None) -> tuple[str, ...]:
        return ("organization",) if obj else ()

    def has_change_permission(self, request: HttpRequest, obj: Team | None = None) -> bool:
        return super().has_change_permission(request, obj) and _manages(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Team | None = None) -> bool:
        return super().has_delete_permission(request, obj) and _manages(request, obj)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        actor = actor_in(request, obj.organization)
        if not change:
            created = teams.create(organization=obj.organization, name=obj.name, surface=Surface.ADMIN, actor=actor)
            obj.pk, obj._state.adding = created.pk, False
        elif form.has_changed():
            teams.rename(team=obj, name=obj.name, surface=Surface.ADMIN, actor=actor)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        team = form.instance
        by: dict[str, Any] = {"surface": Surface.ADMIN, "actor": actor_in(request, team.organization)}
        formset.save(commit=False)
        for row in formset.deleted_objects:
            teams.remove_member(team=team, member=row.member, **by)
        for row in formset.new_objects:
            teams.add_member(team=team, member=row.member, is_admin=row.is_admin, **by)
        for row, _ in formset.changed_objects:
            teams.set_admin(team=team, member=row.member, is_admin=row.is_admin, **by)

    def delete_model(self, request: HttpRequest, obj: Team) -> None:
        teams.delete(team=obj, surface=Surface.ADMIN, actor=actor_in(request, obj.organization))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Team]) -> None:
        for team in queryset.select_related("organization"):
            self.delete_model(request, team)

    @display(description="Active members", ordering="active_members")
    def member_count(self, obj: Any) -> int:
        return int(obj.active_members)


def _manages(request: HttpRequest, team: Team | None) -> bool:
    if team is None or (isinstance(request.user, User) and request.user.is_superuser):
        return True
    actor = actor_in(request, team.organization)
    return actor is not None and teams.may_manage(actor, team)
