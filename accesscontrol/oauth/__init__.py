"""The authorization server: how a client gets a grant of a member, and what that grant's tokens are.

django-oauth-toolkit and oauthlib bring the protocol; what they leave open is decided here.
"""
