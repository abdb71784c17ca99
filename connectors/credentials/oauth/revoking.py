"""Tells a product that a sign-in is not used any more (RFC 7009), where its OAuth application has an address for that.

After the commit that erased the credential here, and beside whatever made it: nobody waits for the product, and one
that can't be reached keeps nobody's account. The secret stays in this process, so this is no task of the queue.
"""

import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from django.db import transaction

from accesscontrol.exceptions import Refusal
from connectors.credentials.oauth import client
from connectors.credentials.oauth.addresses import origin
from connectors.credentials.oauth.client import TokenRefused
from connectors.credentials.vault import CredentialUnreadable
from connectors.models import Connection, OAuthApp

logger = logging.getLogger(__name__)
_threads = ThreadPoolExecutor(max_workers=4, thread_name_prefix="revoke")


def revoke_on_commit(connection: Connection) -> None:
    """For an account that ends in the surrounding transaction, before its credential is erased."""
    try:
        credential = connection.credential.reveal()
    except CredentialUnreadable:
        return
    if app := _app_for(connection, credential):
        transaction.on_commit(partial(_threads.submit, _revoke, app, credential), robust=True)


def revoke_now(connection: Connection, credential: Mapping[str, Any]) -> None:
    """For a credential that came too late to be stored."""
    if app := _app_for(connection, credential):
        _threads.submit(_revoke, app, credential)


def _app_for(connection: Connection, credential: Mapping[str, Any]) -> OAuthApp | None:
    if "token_url" not in credential:
        return None
    rows = OAuthApp.objects.filter(connector=connection.connector_id).exclude(revocation_url="")
    app = rows.select_related("connector__organization").first()
    return app if app and origin(app.token_url) == origin(credential["token_url"]) else None


def _revoke(app: OAuthApp, credential: Mapping[str, Any]) -> None:
    """In a thread of its own, without the database."""
    try:
        client.revoke(app, credential)
    except (Refusal, TokenRefused) as refused:
        logger.warning("A sign-in at %s was not revoked there: %s", app.connector.label, type(refused).__name__)
