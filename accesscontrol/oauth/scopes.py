"""The scopes in plain words, as the consent page says them."""

from accesscontrol.permissions import Scope

SCOPE_WORDS = {
    Scope.READ: "Read what elaichi itself holds about you: your accounts, requests and what you may use",
    Scope.WRITE: "Change it for you: connect or share accounts, ask for access",
    Scope.DESTRUCTIVE: "Run actions that delete or cannot be undone",
    Scope.TOOLS: "Find and run the tools of your connected apps",
}

DEFAULT_SCOPES = (Scope.READ, Scope.WRITE, Scope.TOOLS)
"""What a client that names none asks for; deleting is only ever ticked by hand."""
