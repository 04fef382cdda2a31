"""The only reader of the environment: one frozen `Settings`, validated at start (contract: cli-and-config.md 3)."""

from __future__ import annotations

import ipaddress
import os
import pathlib
import re
from typing import Annotated, Literal
from urllib.parse import quote, urlsplit

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

SandboxKind = Literal["auto", "bubblewrap", "local"]
PREFIX = "REPRISE_"
HOST_AND_PORT = r"(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::[0-9]{1,5})?"
BUCKET_RULES = {
    "s3_endpoint": (HOST_AND_PORT, "HOST:PORT; REPRISE_S3_SECURE says whether it is https"),
    "s3_public_endpoint": (f"(?:https?://)?{HOST_AND_PORT}", "HOST:PORT or https://HOST:PORT, without a path"),
    "s3_bucket": (r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", "3 to 63 lower case letters, digits, dots and hyphens"),
    "s3_region": (r"[A-Za-z0-9-]+", "a region such as us-east-1"),
}
BUCKET_NEEDS = ("s3_endpoint", "s3_access_key", "s3_secret_key", "s3_bucket")
SHORTEST_KEY = 16
DATABASES = ("sqlite", "postgresql", "postgresql+psycopg")
QUEUES = ("redis", "rediss", "unix")


class SettingsError(Exception):
    """A wrong value: one line with variable, value, and what is accepted."""


class Settings(BaseSettings):
    """What a site can set. Names here are the variables without `REPRISE_`, lower case. Secrets never print."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=".env", extra="ignore", frozen=True)

    data_dir: pathlib.Path = Field(pathlib.Path("data"), description="SQLite file, object folder, scratch")
    database_url: SecretStr | None = Field(None, description="SQLAlchemy URL; default: SQLite in DATA_DIR")
    redis_url: SecretStr | None = Field(None, description="Redis or Valkey; default: embedded by `reprise up`")
    object_store: Literal["fs", "s3"] = Field("fs", description="where bytes live: a folder in DATA_DIR, or a bucket")
    s3_endpoint: str | None = Field(None, description="host:port of the bucket's server")
    s3_access_key: str | None = Field(None, description="name of the account that may use the bucket")
    s3_secret_key: SecretStr | None = Field(None, description="its secret")
    s3_bucket: str | None = Field(None, description="the bucket; made when it is missing")
    s3_region: str = Field("us-east-1", description="region that requests and file URLs are signed for")
    s3_secure: bool = Field(True, description="whether S3_ENDPOINT speaks https")
    s3_public_endpoint: str | None = Field(None, description="what browsers see; default: S3_ENDPOINT")
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

    @field_validator("database_url")
    @classmethod
    def _database(cls, value: SecretStr | None) -> SecretStr | None:
        return _url(value, DATABASES, "sqlite:///PATH or postgresql+psycopg://USER:PASSWORD@HOST:PORT/NAME")

    @field_validator("redis_url")
    @classmethod
    def _queue(cls, value: SecretStr | None) -> SecretStr | None:
        return _url(value, QUEUES, "redis://HOST:PORT/0, rediss://HOST:PORT/0 or unix:///PATH")

    @field_validator("s3_endpoint", "s3_public_endpoint", "s3_bucket", "s3_region")
    @classmethod
    def _bucket(cls, value: str | None, info: ValidationInfo) -> str | None:
        pattern, accepted = BUCKET_RULES[info.field_name or ""]
        if value is not None and not re.fullmatch(pattern, value):
            raise ValueError(accepted)
        return value

    @field_validator("secret_key")
    @classmethod
    def _long(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and len(value.get_secret_value()) < SHORTEST_KEY:
            raise ValueError(f"at least {SHORTEST_KEY} characters")
        return value

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

    @model_validator(mode="after")
    def _whole_bucket(self) -> Settings:
        missing = [f"{PREFIX}{name.upper()}" for name in BUCKET_NEEDS if not getattr(self, name)]
        if self.object_store == "s3" and missing:
            raise ValueError(f"{PREFIX}OBJECT_STORE='s3': needs {', '.join(missing)} too")
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
    except UnicodeDecodeError:
        raise SettingsError("The file .env must be UTF-8.") from None
    except ValidationError as error:
        fault = error.errors()[0]
        if not fault["loc"]:  # about several settings together: the message names them
            raise SettingsError(fault["msg"].removeprefix("Value error, ")) from None
        name = str(fault["loc"][0])
        secret = "secret" in name or name.endswith("_url")
        shown = "(hidden)" if secret else repr(fault["input"])
        accepted = fault["msg"].removeprefix("Value error, ")
        raise SettingsError(f"{PREFIX}{name.upper()}={shown}: {accepted[0].lower() + accepted[1:]}") from None


def _url(value: SecretStr | None, schemes: tuple[str, ...], accepted: str) -> SecretStr | None:
    """`value`, if its scheme is known and its port is one. Raises ValueError."""
    if value is not None:
        try:
            parts = urlsplit(value.get_secret_value())
            is_one = "://" in value.get_secret_value() and parts.scheme in schemes and parts.port != 0
        except ValueError:
            is_one = False
        if not is_one:
            raise ValueError(accepted)
    return value


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
