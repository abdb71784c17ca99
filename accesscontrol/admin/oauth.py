"""The authorization server has no pages of its own in the admin: grants are seen and ended there, tokens nowhere."""

from django.contrib import admin
from oauth2_provider import admin as toolkit

# Importing it registered them.
for _model in (
    toolkit.application_model,
    toolkit.access_token_model,
    toolkit.grant_model,
    toolkit.id_token_model,
    toolkit.refresh_token_model,
):
    admin.site.unregister(_model)
