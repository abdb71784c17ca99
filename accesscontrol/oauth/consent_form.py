"""What a person decides on the consent page: for which organization, how far, and with which toolboxes."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms

from accesscontrol.grant_form import TOOLBOX_GONE
from accesscontrol.models import Member
from accesscontrol.oauth.scopes import SCOPE_WORDS
from accesscontrol.permissions import Scope
from accesscontrol.toolbox_choices import choices_for


class ConsentForm(forms.Form):
    """No field is named as a parameter of the protocol: the form is posted to the request's own address."""

    member = forms.ChoiceField(label="Organization", widget=forms.RadioSelect)
    allowed = forms.MultipleChoiceField(
        label="It may",
        choices=[(scope.value, words) for scope, words in SCOPE_WORDS.items()],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Tick at least one thing that it may do, or choose Deny."},
    )
    only = forms.MultipleChoiceField(
        label="With the tools of",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Tick toolboxes to confine it to their tools. None ticked: all your tools.",
        error_messages={"invalid_choice": TOOLBOX_GONE},
    )

    def __init__(self, *args: Any, members: Sequence[Member], requested: Sequence[Scope], **kwargs: Any) -> None:
        ticked = [scope.value for scope in requested if scope is not Scope.DESTRUCTIVE]
        kwargs["initial"] = {"member": str(members[0].pk), "allowed": ticked}
        super().__init__(*args, **kwargs)
        self.members = {str(member.pk): member for member in members}
        self.toolboxes = {member.pk: {str(box.id): box.name for box in choices_for(member)} for member in members}
        self._offer()

    def _offer(self) -> None:
        member = self.fields["member"]
        assert isinstance(member, forms.ChoiceField)
        member.choices = [(key, one.organization.name) for key, one in self.members.items()]
        if len(self.members) == 1:
            member.widget = forms.HiddenInput()
        # Where there is nothing to tick the field stays, so that a tick of a moment ago is refused and not overlooked.
        only = self.fields["only"]
        assert isinstance(only, forms.MultipleChoiceField)
        several = len(self.members) > 1
        only.choices = [
            (box, f"{name} ({one.organization.name})" if several else name)
            for one in self.members.values()
            for box, name in self.toolboxes[one.pk].items()
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        chosen = self.members.get(cleaned.get("member", ""))
        if chosen is not None and not set(cleaned.get("only", ())) <= set(self.toolboxes[chosen.pk]):
            raise forms.ValidationError("Tick toolboxes of the organization that you chose.")
        return cleaned

    @property
    def chosen_member(self) -> Member:
        return self.members[self.cleaned_data["member"]]

    @property
    def chosen_scopes(self) -> list[Scope]:
        return [Scope(scope) for scope in self.cleaned_data["allowed"]]

    @property
    def chosen_toolboxes(self) -> list[UUID]:
        return [UUID(box) for box in self.cleaned_data.get("only", ())]
