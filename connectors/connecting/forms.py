"""The forms on a connect page: a label, and where a secret is typed the fields that the product asks for."""

from typing import Any

from django import forms

from accesscontrol.exceptions import Refusal
from connectors.auth_scheme import CREDENTIAL_FIELDS
from connectors.connecting.verification import verify
from connectors.models import Connection, ConnectSession

_LABELS = {"token": "Access token", "key": "API key", "username": "User name"}


class LabelForm(forms.Form):
    """All that is asked where one signs in at the product itself."""

    label = forms.CharField(
        max_length=100, label="Name of this account", help_text="Tells it from your others, for example the company."
    )

    def __init__(self, *args: Any, session: ConnectSession, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.session = session
        if session.connection is not None:
            self.fields["label"].initial = session.connection.label

    def clean_label(self) -> str:
        label: str = self.cleaned_data["label"]
        taken = Connection.objects.filter(owner=self.session.member, connector=self.session.connector, label=label)
        if self.session.connection is not None:
            taken = taken.exclude(pk=self.session.connection.pk)
        if taken.exists():
            raise forms.ValidationError(f"You have an account named {label} here already. Choose another name.")
        return label


class ConnectForm(LabelForm):
    def __init__(self, *args: Any, session: ConnectSession, **kwargs: Any) -> None:
        super().__init__(*args, session=session, **kwargs)
        self.secret_names = CREDENTIAL_FIELDS[session.connector.auth_scheme.kind]
        for name in self.secret_names:
            self.fields[name] = forms.CharField(
                label=_LABELS.get(name, name.capitalize()),
                strip=True,
                widget=forms.PasswordInput(attrs={"autocomplete": "off"}) if name != "username" else forms.TextInput,
            )

    @property
    def credential(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in self.secret_names}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            try:
                verify(self.session.connector, self.credential)
            except Refusal as refusal:
                raise forms.ValidationError(str(refusal)) from None
        return cleaned
