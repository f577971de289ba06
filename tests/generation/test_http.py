"""A model server is asked directly, and has to prove who it is where TLS is used."""

import asyncio
import datetime
import gc
import ipaddress
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from companions.ports import ModelError
from generation.choose import ModelSettings, language_model
from generation.http import tls_of
from loadtest.model_script import TEXT, Script
from loadtest.model_server import model_server
from tests import clock
from tests.generation.stage import PROMPT, stage, text_of


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return clock.virtual_time()


def self_signed(folder: Path) -> ssl.SSLContext:
    """A server's TLS by a certificate that nobody trusts."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    file = folder / "server.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


@asynccontextmanager
async def tls_server(folder: Path) -> AsyncGenerator[tuple[int, list[bytes]]]:
    received: list[bytes] = []

    async def listens(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received.append(await reader.read(100))
        writer.close()

    server = await asyncio.start_server(listens, "127.0.0.1", 0, ssl=self_signed(folder))
    async with server:
        yield server.sockets[0].getsockname()[1], received


async def test_a_server_that_can_not_prove_itself_gets_no_word(tmp_path: Path) -> None:
    async with tls_server(tmp_path) as (port, received):
        settings = ModelSettings(model=f"openai:m@https://127.0.0.1:{port}/v1", api_key="sk-1")
        async with language_model(settings) as model:
            with pytest.raises(ModelError) as caught:
                async with model.stream(PROMPT):
                    pass
    assert caught.value.fault == "unreachable"
    assert not any(received)


@pytest.mark.parametrize("url", ["https://example.com", "HTTPS://example.com", "http://example.com"])
def test_a_name_is_always_checked(url: str) -> None:
    assert tls_of(url).verify_mode == ssl.CERT_REQUIRED
    assert tls_of(url).check_hostname


async def test_a_proxy_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async with model_server(Script()) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        async with stage("openai", Script()) as scene:
            assert text_of(await scene.pieces()) == TEXT
        assert proxy.requests == []


async def test_the_key_goes_to_the_server_and_into_no_error() -> None:
    async with stage("anthropic", Script(status=401), settings=ModelSettings(api_key="sk-secret")) as scene:
        with pytest.raises(ModelError) as caught:
            await scene.pieces()
        assert scene.server.requests[0].headers["x-api-key"] == "sk-secret"
        assert "sk-secret" not in f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__context__!r}"


async def test_an_answer_that_was_read_leaves_nothing_for_the_collector() -> None:
    """What only a rare collection finds is memory that grows with every answer until then."""
    async with stage("openai", Script()) as scene:
        gc.collect()
        gc.disable()
        try:
            assert text_of(await scene.pieces()) == TEXT
            await anyio.wait_all_tasks_blocked()
            assert not [each for each in gc.get_objects() if type(each) is httpx.Response]
        finally:
            gc.enable()
