"""Greetings."""


def greet(name):
    """Greets whoever is named."""
    return f"Hello, {name}"
