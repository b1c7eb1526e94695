import ssl
from pathlib import Path

import pytest


@pytest.fixture
def tls(monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A server's side of TLS, with a certificate that is trusted here."""
    certificate = Path(__file__).with_name("vouched-for.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context
