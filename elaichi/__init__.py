"""The project: settings, addresses, the admin site and the local stack."""
