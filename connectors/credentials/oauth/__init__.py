"""Signing in to products by OAuth 2: what is asked of their token endpoints, and tokens that stay usable."""
