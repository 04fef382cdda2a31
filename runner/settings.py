"""The only reader of the environment: one frozen `Settings`, validated at start (contract: cli-and-config.md 3)."""

from __future__ import annotations

import ipaddress
import os
import pathlib
from typing import Annotated, Literal
from urllib.parse import quote, urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

SandboxKind = Literal["auto", "bubblewrap", "docker", "podman", "apptainer", "slurm", "local"]
PREFIX = "REPRISE_"


class SettingsError(Exception):
    """A wrong value: one line with variable, value, and what is accepted."""


class Settings(BaseSettings):
    """What a site can set. Names here are the variables without `REPRISE_`, lower case. Secrets never print."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=".env", extra="ignore", frozen=True)

    data_dir: pathlib.Path = Field(pathlib.Path("data"), description="SQLite file, object folder, scratch")
    database_url: SecretStr | None = Field(None, description="SQLAlchemy URL; default: SQLite in DATA_DIR")
    redis_url: SecretStr | None = Field(None, description="Redis or Valkey; default: embedded by `reprise up`")
    object_store: Literal["fs"] = Field("fs", description="where bytes live: a folder in DATA_DIR")
    host: str = Field("127.0.0.1", description="address that `reprise up` listens on")
    port: int = Field(8321, ge=1, le=65535, description="port that `reprise up` listens on")
    web_workers: int = Field(2, ge=1, le=64, description="gunicorn processes of the web server")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="what the processes log")
    public_origin: str | None = Field(None, description="the only origin in links; default: http://HOST:PORT")
    auth: Literal["auto", "open", "key"] = Field("auto", description="who may change state")
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="addresses whose X-Forwarded-For counts"
    )
    secret_key: SecretStr | None = Field(
        None, description="signs cursors and file URLs; default: generated in DATA_DIR"
    )
    allowed_origins: Annotated[tuple[str, ...], NoDecode] = Field((), description="origins that may change state")
    import_roots: Annotated[tuple[pathlib.Path, ...], NoDecode] = Field(
        (), description="folders that *_path may name; default: DATA_DIR/uploads"
    )
    max_upload_mb: int = Field(200, ge=1, le=1_000_000, description="largest uploaded file in MiB")
    sandbox: SandboxKind = Field("auto", description="default sandbox kind of a run")
    allow_local_sandbox: bool = Field(False, description="whether `local` (no isolation) may be asked for")
    streams: bool = Field(True, description="whether this process serves event streams")
    max_streams: int = Field(96, ge=1, le=10_000, description="how many event streams one process serves")

    @field_validator("trusted_proxies", "allowed_origins", "import_roots", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for network in value:
            ipaddress.ip_network(network, strict=False)
        return value

    @field_validator("public_origin", "allowed_origins")
    @classmethod
    def _origins(cls, value: str | tuple[str, ...] | None) -> str | tuple[str, ...] | None:
        for origin in (value,) if isinstance(value, str) else value or ():
            parts = urlsplit(origin)
            if (
                parts.scheme not in ("http", "https")
                or not parts.netloc
                or parts.path
                or parts.query
                or "@" in parts.netloc
            ):
                raise ValueError("an origin such as https://reprise.example.org, without a path")
        return value

    @model_validator(mode="after")
    def _absolute(self) -> Settings:
        object.__setattr__(self, "data_dir", self.data_dir.expanduser().absolute())
        roots = tuple(root.expanduser().absolute() for root in self.import_roots)
        object.__setattr__(self, "import_roots", roots or (self.data_dir / "uploads",))
        return self

    @property
    def origin(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_origin or f"http://{host}:{self.port}"

    @property
    def database(self) -> str:
        if self.database_url:
            return self.database_url.get_secret_value()
        return f"sqlite:///{quote(str(self.data_dir / 'reprise.sqlite3'))}"

    @property
    def scratch(self) -> pathlib.Path:
        return self.data_dir / "scratch"

    @property
    def max_upload_bytes(self) -> int:
        return self.max_upload_mb * 2**20


def load(**given: object) -> Settings:
    """Settings from the environment and `.env`; `given` values (command-line options) win. Raises SettingsError."""
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        fault = error.errors()[0]
        name = str(fault["loc"][0]) if fault["loc"] else "settings"
        secret = "secret" in name or name.endswith("_url")
        shown = "(hidden)" if secret else repr(fault["input"])
        accepted = fault["msg"].removeprefix("Value error, ")
        raise SettingsError(f"{PREFIX}{name.upper()}={shown}: {accepted[0].lower() + accepted[1:]}") from None


def secrets(site: Settings) -> tuple[str, ...]:
    """The values of secret settings, and the passwords inside their URLs: never to be shown."""
    given = [value.get_secret_value() for value in dict(site).values() if isinstance(value, SecretStr)]
    passwords = [part.password for value in given if "://" in value and (part := urlsplit(value)).password]
    return (*given, *passwords)


def environment() -> dict[str, str]:
    """The variables that this process was started with."""
    return dict(os.environ)


def child_environment(site: Settings) -> dict[str, str]:
    """The environment of Reprise's own child processes: ours, with what the command line changed."""
    given = {
        f"{PREFIX}DATA_DIR": str(site.data_dir),
        f"{PREFIX}HOST": site.host,
        f"{PREFIX}PORT": str(site.port),
    }
    return {**environment(), **given}
