"""What may be changed of a grant, as its owner's page and the admin's ask for it."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django import forms

from accesscontrol.models import Grant
from accesscontrol.oauth.scopes import SCOPE_WORDS
from accesscontrol.permissions import Scope
from accesscontrol.toolbox_choices import choices_for

TOOLBOX_GONE = "A toolbox that you ticked is not there any more. Choose again."
ALL, ONLY = "all", "only"
_OUT_OF_REACH = "A toolbox that is gone, or not shared with you any more"


class GrantChoices(forms.Form):
    """Confined or not is a choice of its own, so that no empty list can be taken for all tools."""

    allowed = forms.MultipleChoiceField(
        label="It may",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Leave at least one thing that it may do, or end it."},
    )
    reach = forms.ChoiceField(label="With", widget=forms.RadioSelect)
    only = forms.MultipleChoiceField(
        label="The toolboxes",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": TOOLBOX_GONE},
    )

    def offer(self, grant: Grant, *, may_widen: bool) -> None:
        """Everything, or only what there is to take away."""
        confined = [str(box) for box in grant.toolboxes]
        scopes = [scope for scope in SCOPE_WORDS if may_widen or scope.value in grant.scopes]
        names = {str(box.id): box.name for box in choices_for(grant.member)}
        boxes = {box: names.get(box, _OUT_OF_REACH) for box in (*names, *confined)}
        if confined and not may_widen:
            boxes = {box: boxes[box] for box in confined}
        whose = "your" if may_widen else "the member's"
        reaches = [(ALL, f"All {whose} tools")] if may_widen or not confined else []
        reaches += [(ONLY, "Only the tools of the toolboxes that are ticked")] if boxes else []
        self._choose("allowed", ((scope.value, SCOPE_WORDS[scope]) for scope in scopes), list(grant.scopes))
        self._choose("reach", reaches, ONLY if confined else ALL)
        self._choose("only", boxes.items(), confined)

    def _choose(self, name: str, choices: Iterable[tuple[str, str]], initial: Any) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(choices)
        field.initial = initial

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("reach") == ONLY and not cleaned.get("only") and "only" not in self.errors:
            self.add_error("only", "Tick at least one toolbox.")
        return cleaned

    @property
    def chosen_scopes(self) -> list[Scope]:
        return [Scope(scope) for scope in self.cleaned_data["allowed"]]

    @property
    def chosen_toolboxes(self) -> list[UUID] | None:
        return None if self.cleaned_data["reach"] == ALL else [UUID(box) for box in self.cleaned_data["only"]]


class OwnGrantForm(GrantChoices):
    def __init__(self, *args: Any, grant: Grant, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offer(grant, may_widen=True)
