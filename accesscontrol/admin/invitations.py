"""Inviting people, from the admin: the address is shown once, to be handed to the person."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.decorators import display

from accesscontrol.admin.refusals import RefusalsShown
from accesscontrol.admin.tenant import TenantAdmin, actor_in
from accesscontrol.exceptions import Refusal
from accesscontrol.models import Invitation, Surface
from accesscontrol.permissions import Permission
from accesscontrol.services import invitations


@admin.register(Invitation)
class InvitationAdmin(RefusalsShown, TenantAdmin[Invitation]):
    view_permission = Permission.MEMBER_MANAGE
    manage_permission = Permission.MEMBER_MANAGE
    list_display = ("email", "role", "state", "invited_by", "created_at", "expires_at")
    list_filter = ("outcome", "role", "organization")
    list_select_related = ("role", "organization", "invited_by__user")
    search_fields = ("email",)
    fields = ("organization", "email", "role")
    actions = ("withdraw",)

    def has_change_permission(self, request: HttpRequest, obj: Invitation | None = None) -> bool:
        """Only ended, never changed; the list's action needs it without a row."""
        return obj is None and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Invitation | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        invitation, url = invitations.invite(
            organization=obj.organization,
            email=obj.email,
            role=obj.role,
            surface=Surface.ADMIN,
            actor=actor_in(request, obj.organization),
        )
        obj.pk, obj._state.adding = invitation.pk, False
        self.message_user(request, f"Send this address to {obj.email}; it is shown once: {url}", messages.WARNING)

    @display(description="State", label={"Open": "info", "Accepted": "success", "Withdrawn": "danger"})
    def state(self, obj: Invitation) -> str:
        if obj.ended_at:
            return obj.outcome.capitalize()
        return "Open" if obj.expires_at > timezone.now() else "Expired"

    @admin.action(description="Withdraw open invitations", permissions=["change"])
    def withdraw(self, request: HttpRequest, queryset: QuerySet[Invitation]) -> None:
        for invitation in queryset.select_related("organization", "role"):
            try:
                invitations.withdraw(
                    invitation=invitation, surface=Surface.ADMIN, actor=actor_in(request, invitation.organization)
                )
            except Refusal as refusal:
                self.message_user(request, str(refusal), messages.ERROR)
            else:
                self.message_user(request, f"The invitation of {invitation.email} was withdrawn.", messages.SUCCESS)
