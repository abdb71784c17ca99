"""The forms on a connect page: a label, and where a secret is typed the fields that the product asks for."""

import re
from typing import Any

from django import forms

from accesscontrol.exceptions import Refusal
from connectors.auth_scheme import CREDENTIAL_FIELDS, AuthScheme
from connectors.connecting.verification import verify
from connectors.models import Connection, ConnectSession

_LABELS = {"token": "Access token", "key": "API key", "username": "User name"}
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def labels_of(scheme: AuthScheme) -> dict[str, str]:
    """What people read for each field of a credential; several keys by what the product calls them."""
    kinds = [(part, field) for part in scheme.parts for field in CREDENTIAL_FIELDS[part.kind]]
    plain = [_LABELS.get(field, field.capitalize()) for _, field in kinds]
    named = [
        label if plain.count(label) == 1 else _spoken(part.name or part.parameter)
        for (part, _), label in zip(kinds, plain, strict=True)
    ]
    return dict(zip(scheme.fields, named, strict=True))


def _spoken(name: str) -> str:
    """`appKeyAuth`, `api_token` or `DD-API-KEY` as a label."""
    words = [word.lower() for word in _WORDS.findall(name)]
    said = " ".join("API" if word == "api" else word for word in words).removesuffix(" auth")
    return said[:1].upper() + said[1:]


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
        scheme = session.connector.auth_scheme
        self.secret_names = scheme.fields
        for name, label in labels_of(scheme).items():
            is_username = name.endswith("username")
            self.fields[name] = forms.CharField(
                label=label,
                strip=True,
                widget=forms.TextInput if is_username else forms.PasswordInput(attrs={"autocomplete": "off"}),
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
