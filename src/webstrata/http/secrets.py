"""Collects the secret values of the settings, so that they can be redacted from output."""

from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from webstrata.settings import Settings


def secrets_of(settings: Settings) -> list[str]:
    """Return every secret among the settings: tokens, addresses with passwords, and those passwords alone."""
    values = (getattr(settings, name) for name in type(settings).model_fields)
    secrets = [value.get_secret_value() for value in values if isinstance(value, SecretStr)]
    return [secret for value in secrets for secret in (*_password(value), *_if_secret(value))]


def _if_secret(value: str) -> list[str]:
    """Return a value if it is secret: a token, or an address with a password."""
    return [value] if value and ("://" not in value or _password(value)) else []


def _password(value: str) -> list[str]:
    try:
        password = urlsplit(value).password if "://" in value else None
    except ValueError:
        return []
    return [password, unquote(password)] if password else []
