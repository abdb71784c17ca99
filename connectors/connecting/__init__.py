"""How a member authorizes an account: one-time pages, where a secret is typed and no model sees it."""
