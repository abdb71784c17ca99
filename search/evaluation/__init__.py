"""How well a ranker finds the right tool, and how often it answers when none is there. No framework, no database."""
