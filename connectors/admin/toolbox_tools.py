"""The tools of a toolbox, within its page."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from unfold.admin import StackedInline
from unfold.widgets import UnfoldAdminSelectMultipleWidget

from accesscontrol.admin.inlines import ServiceInline
from accesscontrol.admin.tenant import actor_in
from accesscontrol.exceptions import InvalidArguments
from accesscontrol.models import Member, Surface
from connectors.models import Connection, Connector, FrozenTool, Level, Toolbox
from connectors.reach import connections_within_reach
from connectors.services import frozen_tools
from connectors.services.frozen_tools import Changes

_NAMED = ("name", "description", "fixed", "defaults", "enabled")


class FrozenToolForm(forms.ModelForm[FrozenTool]):
    """A stored one stays of the tool that it was made of."""

    connections = forms.ModelMultipleChoiceField(
        Connection.objects.none(),
        required=False,
        label="Pinned accounts",
        help_text="Runs through these for everybody. None: through each caller's own.",
        widget=UnfoldAdminSelectMultipleWidget,
    )

    class Meta:
        model = FrozenTool
        fields = ("connector", "tool", *_NAMED)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.instance._state.adding:
            self.fields["connector"].disabled = self.fields["tool"].disabled = True
            self.initial["connections"] = list(self.instance.pins.values_list("connection_id", flat=True))

    def clean(self) -> dict[str, Any]:
        """A field of JSON that was emptied means no values."""
        cleaned: dict[str, Any] = super().clean() or {}
        for name in ("fixed", "defaults"):
            values = cleaned.get(name) or {}
            if not isinstance(values, dict):
                self.add_error(name, 'Write a JSON object, such as {"project": "ENG"}.')
            cleaned[name] = values
        return cleaned

    def validate_constraints(self) -> None:
        """The service says in words what the database would refuse."""

    @property
    def changes(self) -> Changes:
        given = {name: self.cleaned_data[name] for name in _NAMED}
        pins = self.cleaned_data["connections"] if "connections" in self.changed_data else None
        return Changes(**given, connections=None if pins is None else list(pins))


class FrozenToolInline(ServiceInline):
    model = FrozenTool
    form = FrozenToolForm
    fields = ("connector", "tool", "name", "description", "fixed", "defaults", "connections", "enabled")
    extra = 0
    verbose_name = "tool"
    # One below the other: what is fixed is JSON, and a column is too narrow for it.
    template = StackedInline.template

    def get_queryset(self, request: HttpRequest) -> QuerySet[FrozenTool]:
        rows: QuerySet[FrozenTool] = super().get_queryset(request)
        return rows.select_related("connector", "toolbox")

    def choices_for(self, field: str, parent: Toolbox) -> QuerySet[Any]:
        if field == "connector":
            return Connector.objects.of(parent.organization).filter(enabled=True)
        return Connection.objects.filter(pins__frozen_tool__toolbox=parent)

    def get_formset(self, request: HttpRequest, obj: Toolbox | None = None, **kwargs: Any) -> Any:
        formset = super().get_formset(request, obj, **kwargs)
        if obj is not None and "connections" in formset.form.base_fields:
            rows = _pinnable(obj, actor_in(request, obj.organization))
            formset.form.base_fields["connections"].queryset = rows
        return formset


def _pinnable(toolbox: Toolbox, actor: Member | None) -> QuerySet[Connection]:
    """The accounts that whoever has the page open may pin, and those that are pinned already."""
    own = connections_within_reach(actor, at_least=Level.USE).values("pk") if actor else ()
    rows = Connection.objects.of(toolbox.organization).select_related("connector").defer("credential")
    return rows.filter(Q(pk__in=own) | Q(pins__frozen_tool__toolbox=toolbox)).distinct()


def save_tools(formset: Any, toolbox: Toolbox, actor: Member) -> None:
    """Raises Refusal, and ValidationError that names the tool and the place of each problem."""
    by: dict[str, Any] = {"surface": Surface.ADMIN, "actor": actor}
    formset.save(commit=False)
    for row in formset.deleted_objects:
        frozen_tools.remove(frozen_tool=row, **by)
    for form in formset.forms:
        if form.has_changed() and form not in formset.deleted_forms:
            _save(form, toolbox, by)


def _save(form: FrozenToolForm, toolbox: Toolbox, by: dict[str, Any]) -> None:
    row = form.instance
    try:
        if row._state.adding:
            frozen_tools.add(toolbox=toolbox, connector=row.connector, tool=row.tool, changes=form.changes, **by)
        else:
            frozen_tools.change(frozen_tool=row, changes=form.changes, **by)
    except InvalidArguments as refused:
        said = "; ".join(f"{one['path'].lstrip('/')}: {one['reason']}" for one in refused.help["problems"])
        raise ValidationError(f"{row}: {said}") from None
