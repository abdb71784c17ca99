"""Organizations, users and members."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.forms import AdminPasswordChangeForm
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldBooleanSwitchWidget

from accesscontrol.admin.refusals import RefusalsShown
from accesscontrol.admin.tenant import TenantAdmin, VersionedAdmin, actor_in
from accesscontrol.exceptions import Refusal
from accesscontrol.models import Member, Organization, Surface, User
from accesscontrol.permissions import Permission
from accesscontrol.services import accounts, memberships, organizations

# Django's groups decide nothing here: roles do.
admin.site.unregister(Group)


@admin.register(Organization)
class OrganizationAdmin(TenantAdmin[Organization]):
    view_permission = Permission.ORGANIZATION_VIEW
    manage_permission = Permission.ORGANIZATION_MANAGE
    list_display = ("name", "slug", "active_members", "created_at")
    search_fields = ("name", "slug")

    def get_fields(self, request: HttpRequest, obj: Organization | None = None) -> tuple[str, ...]:
        return ("name", "slug", "logs_queries") if obj else ("name", "slug")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Organization]:
        active = Count("members", filter=Q(members__status=Member.Status.ACTIVE))
        return super().get_queryset(request).annotate(active_count=active)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return isinstance(request.user, User) and request.user.is_superuser

    def has_delete_permission(self, request: HttpRequest, obj: Organization | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if change:
            actor = actor_in(request, obj)
            organizations.change(organization=obj, fields=form.changed_data, surface=Surface.ADMIN, actor=actor)
            return
        founded = organizations.found(slug=obj.slug, name=obj.name, surface=Surface.ADMIN)
        obj.pk, obj._state.adding = founded.pk, False

    @display(description="Active members", ordering="active_count")
    def active_members(self, obj: Any) -> int:
        return int(obj.active_count)


class UserCreationForm(BaseUserCreationForm[User]):
    class Meta:
        model = User
        fields = ("email", "name")


@admin.register(User)
class UserAdmin(DjangoUserAdmin[User], ModelAdmin):
    """Accounts of this server, for superusers: what somebody may do is decided by their membership."""

    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("email", "name", "is_active", "is_staff", "last_login")
    list_filter = ("is_active", "is_staff")
    search_fields = ("email", "name")
    ordering = ("email",)
    readonly_fields = ("last_login", "created_at")
    filter_horizontal = ()
    fieldsets = (
        (None, {"fields": ("email", "name", "password")}),
        ("This server", {"fields": ("is_active", "is_staff", "is_superuser")}),
        ("Dates", {"fields": ("last_login", "created_at")}),
    )
    add_fieldsets: Any = ((None, {"fields": ("email", "name", "password1", "password2")}),)

    @transaction.atomic
    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if change and "is_active" in form.changed_data and not obj.is_active:
            accounts.deactivate(user=obj, surface=Surface.ADMIN)


class MemberForm(forms.ModelForm[Member]):
    remove_member = forms.BooleanField(
        required=False,
        label="Remove this member",
        help_text="When you save. It ends what is listed above, for good.",
        widget=UnfoldBooleanSwitchWidget,
    )
    hand_over_to = forms.ModelChoiceField(
        queryset=Member.objects.none(),
        required=False,
        label="Hand shared accounts over to",
        help_text="Needed only where others use an account of the member.",
        widget=UnfoldAdminSelectWidget,
    )

    class Meta:
        model = Member
        fields = ("organization", "user", "role")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        colleagues = Member.objects.filter(
            organization_id=self.instance.organization_id, status=Member.Status.ACTIVE
        ).exclude(pk=self.instance.pk)
        self.fields["hand_over_to"].queryset = colleagues.select_related("user")  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("hand_over_to") and not cleaned.get("remove_member"):
            self.add_error("remove_member", "Accounts are handed over when the member is removed: tick this, too.")
        return cleaned


@admin.register(Member)
class MemberAdmin(RefusalsShown, VersionedAdmin[Member]):
    """The status changes by the actions alone: they end every live grant in the same transaction."""

    view_permission = Permission.MEMBER_VIEW
    manage_permission = Permission.MEMBER_MANAGE
    form = MemberForm
    list_display = ("email", "name", "role", "status_label", "organization", "created_at")
    list_filter = ("status", "role", "organization")
    list_select_related = ("user", "role", "organization")
    search_fields = ("user__email", "user__name")
    autocomplete_fields = ("user",)
    actions = ("suspend", "reinstate", "remove")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Choosing among all users of the server is for those who run it."""
        return isinstance(request.user, User) and request.user.is_superuser

    def get_readonly_fields(self, request: HttpRequest, obj: Member | None = None) -> tuple[str, ...]:
        return ("organization", "user", "status", "ends_with_removal") if obj else ()

    def get_fields(self, request: HttpRequest, obj: Member | None = None) -> tuple[str, ...]:
        if obj is None:
            return ("organization", "user", "role")
        shown = ("organization", "user", "role", "status", "ends_with_removal")
        may_end = obj.status != Member.Status.REMOVED and self.has_change_permission(request, obj)
        return (*shown, "remove_member", "hand_over_to") if may_end else shown

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        actor = actor_in(request, obj.organization)
        if not change:
            joined = organizations.join(
                organization=obj.organization, user=obj.user, role=obj.role, surface=Surface.ADMIN, actor=actor
            )
            obj.pk, obj._state.adding = joined.pk, False
            return
        if "role" in form.changed_data:
            memberships.change_role(member=obj, role=obj.role, surface=Surface.ADMIN, actor=actor)
        if form.cleaned_data.get("remove_member"):
            heir = form.cleaned_data.get("hand_over_to")
            memberships.remove(member=obj, surface=Surface.ADMIN, actor=actor, new_owner=heir)

    @display(description="Ends with a removal")
    def ends_with_removal(self, obj: Member) -> str:
        seen = memberships.preview(obj)
        said = [f"{seen.live_grants} live grants ({', '.join(seen.clients)})" if seen.clients else "no live grants"]
        said += [f"{holding}, used by {', '.join(holding.used_by)}" for holding in seen.shared]
        said += [str(holding) for holding in seen.holdings if not holding.used_by]
        return "; ".join(said)

    def has_delete_permission(self, request: HttpRequest, obj: Member | None = None) -> bool:
        return False

    @display(description="E-mail", ordering="user__email")
    def email(self, obj: Member) -> str:
        return obj.user.email

    @display(description="Name", ordering="user__name")
    def name(self, obj: Member) -> str:
        return obj.user.name

    @display(
        description="Status",
        ordering="status",
        label={"Active": "success", "Suspended": "warning", "Removed": "danger"},
    )
    def status_label(self, obj: Member) -> str:
        return obj.get_status_display()

    @admin.action(description="Suspend: end all access until reinstated", permissions=["change"])
    def suspend(self, request: HttpRequest, queryset: QuerySet[Member]) -> None:
        self._apply(request, queryset, memberships.suspend, "suspended")

    @admin.action(description="Reinstate suspended members", permissions=["change"])
    def reinstate(self, request: HttpRequest, queryset: QuerySet[Member]) -> None:
        self._apply(request, queryset, memberships.reinstate, "reinstated")

    @admin.action(description="Remove: end the membership for good", permissions=["change"])
    def remove(self, request: HttpRequest, queryset: QuerySet[Member]) -> None:
        self._apply(request, queryset, memberships.remove, "removed")

    def _apply(self, request: HttpRequest, queryset: QuerySet[Member], service: Any, done: str) -> None:
        """One transaction each: one refusal does not undo the others."""
        for member in queryset.select_related("organization", "user", "role"):
            if not self.has_change_permission(request, member):
                continue
            try:
                service(member=member, surface=Surface.ADMIN, actor=actor_in(request, member.organization))
            except Refusal as refusal:
                self.message_user(request, str(refusal), messages.ERROR)
            else:
                self.message_user(request, f"{member.user.email} was {done}.", messages.SUCCESS)
