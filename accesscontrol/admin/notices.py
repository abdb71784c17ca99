"""Who was told by mail, and whether the mail server took it. Not what was said: that is for who was told."""

from django.contrib import admin
from unfold.decorators import display

from accesscontrol.admin.tenant import TenantAdmin
from accesscontrol.models import Notice
from accesscontrol.models.notice import MAX_ATTEMPTS
from accesscontrol.permissions import Permission


@admin.register(Notice)
class NoticeAdmin(TenantAdmin[Notice]):
    view_permission = Permission.MEMBER_MANAGE
    list_display = ("created_at", "kind", "member", "state", "sent_at", "attempts", "last_error_class")
    list_filter = ("kind", ("sent_at", admin.EmptyFieldListFilter), "organization")
    list_select_related = ("member__user", "organization")
    search_fields = ("member__user__email",)
    fields = ("organization", "member", "kind", "created_at", "sent_at", "attempts", "last_error_class")
    readonly_fields = fields

    @display(description="State", label={"Sent": "success", "Waiting": "info", "Given up": "danger"})
    def state(self, obj: Notice) -> str:
        if obj.sent_at:
            return "Sent"
        return "Given up" if obj.attempts >= MAX_ATTEMPTS else "Waiting"
