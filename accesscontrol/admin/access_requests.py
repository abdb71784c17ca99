"""What members ask for, the answers, and the exemptions that come of them."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.decorators import display
from unfold.widgets import UnfoldAdminRadioSelectWidget

from accesscontrol import catalog_names
from accesscontrol.admin.refusals import RefusalsShown
from accesscontrol.admin.tenant import TenantAdmin, actor_in
from accesscontrol.exceptions import Refusal
from accesscontrol.models import AccessRequest, Exemption, Surface
from accesscontrol.permissions import Permission
from accesscontrol.services import access_requests

_ANSWERS = {"approve": access_requests.approve, "deny": access_requests.deny}


class AnswerForm(forms.ModelForm[AccessRequest]):
    decision = forms.ChoiceField(
        choices=[("approve", "Approve: exempt this person from the rules for their role"), ("deny", "Deny")],
        widget=UnfoldAdminRadioSelectWidget,
    )

    class Meta:
        model = AccessRequest
        fields = ("answer",)


@admin.register(AccessRequest)
class AccessRequestAdmin(RefusalsShown, TenantAdmin[AccessRequest]):
    """Members ask; here they are answered, by anybody who manages restrictions and did not ask."""

    view_permission = Permission.RESTRICTION_VIEW
    manage_permission = Permission.RESTRICTION_MANAGE
    form = AnswerForm
    list_display = ("target", "member", "state_label", "times_asked", "reason", "last_asked_at", "resolved_by")
    list_filter = ("state", "member__organization")
    list_select_related = ("member__user", "member__organization", "resolved_by__user")
    search_fields = ("connector", "tool", "member__user__email")
    actions = ("approve", "deny")

    _asked = ("member", "connector", "tool", "reason", "times_asked", "created_at", "last_asked_at")
    _ended = ("state", "answer", "resolved_by", "resolved_at")

    def get_fields(self, request: HttpRequest, obj: AccessRequest | None = None) -> tuple[str, ...]:
        answering = obj is not None and self.has_change_permission(request, obj)
        return (*self._asked, "standing", "decision", "answer") if answering else (*self._asked, *self._ended)

    def get_readonly_fields(self, request: HttpRequest, obj: AccessRequest | None = None) -> tuple[str, ...]:
        answering = obj is not None and self.has_change_permission(request, obj)
        return (*self._asked, "standing") if answering else (*self._asked, *self._ended)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: AccessRequest | None = None) -> bool:
        is_open = obj is None or obj.state == AccessRequest.State.OPEN
        return is_open and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: AccessRequest | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        self._answer(request, obj, form.cleaned_data["decision"], form.cleaned_data["answer"])

    @admin.action(description="Approve: exempt who asked from the rules for their role", permissions=["change"])
    def approve(self, request: HttpRequest, queryset: QuerySet[AccessRequest]) -> None:
        self._answer_each(request, queryset, "approve")

    @admin.action(description="Deny", permissions=["change"])
    def deny(self, request: HttpRequest, queryset: QuerySet[AccessRequest]) -> None:
        self._answer_each(request, queryset, "deny")

    def _answer_each(self, request: HttpRequest, queryset: QuerySet[AccessRequest], decision: str) -> None:
        """One transaction each: one refusal does not undo the others."""
        for asked in queryset.select_related("member__organization", "member__user"):
            try:
                self._answer(request, asked, decision)
            except Refusal as refusal:
                self.message_user(request, f"{asked}: {refusal}", messages.ERROR)
            else:
                self.message_user(request, f"{asked} was answered.", messages.SUCCESS)

    def _answer(self, request: HttpRequest, asked: AccessRequest, decision: str, answer: str = "") -> None:
        actor = actor_in(request, asked.member.organization)
        _ANSWERS[decision](request=asked, answer=answer, surface=Surface.ADMIN, actor=actor)

    @display(description="For", ordering="connector")
    def target(self, obj: AccessRequest) -> str:
        return obj.target

    @display(description="At present")
    def standing(self, obj: AccessRequest) -> str:
        """What the administrator should know before the answer."""
        names = ((), (obj.target,)) if obj.tool else ((obj.target,), ())
        missing = catalog_names.unknown(obj.member.organization, *names)
        said = [f"Nothing here is called {name} at present." for name in missing]
        refusal = access_requests.obstacle(obj)
        return " ".join([*said, str(refusal) if refusal else "Rules for the role deny it; approving lifts that."])

    @display(
        description="State",
        ordering="state",
        label={"Open": "warning", "Approved": "success", "Denied": "danger", "Withdrawn": "info"},
    )
    def state_label(self, obj: AccessRequest) -> str:
        return obj.get_state_display()


@admin.register(Exemption)
class ExemptionAdmin(RefusalsShown, TenantAdmin[Exemption]):
    """Exemptions come of approved requests; here they are seen and revoked."""

    view_permission = Permission.RESTRICTION_VIEW
    manage_permission = Permission.RESTRICTION_MANAGE
    list_display = ("target", "member", "state", "created_at", "revoked_at", "revoked_by")
    list_filter = (("revoked_at", admin.EmptyFieldListFilter), "member__organization")
    list_select_related = ("member__user", "member__organization", "revoked_by__user")
    search_fields = ("connector", "tool", "member__user__email")
    fields = readonly_fields = ("member", "connector", "tool", "request", "created_at", "revoked_at", "revoked_by")
    actions = ("revoke",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Exemption | None = None) -> bool:
        return False

    @display(description="For", ordering="connector")
    def target(self, obj: Exemption) -> str:
        return obj.target

    @display(description="State", label={"Live": "success", "Revoked": "danger"})
    def state(self, obj: Exemption) -> str:
        return "Revoked" if obj.revoked_at else "Live"

    @admin.action(description="Revoke: the rules hold again from the next call on", permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Exemption]) -> None:
        ended = 0
        for exemption in queryset.select_related("member__organization", "member__user", "request__member"):
            actor = actor_in(request, exemption.member.organization)
            ended += access_requests.revoke(exemption=exemption, surface=Surface.ADMIN, actor=actor)
        self.message_user(request, f"{ended} exemptions were revoked.", messages.SUCCESS)
