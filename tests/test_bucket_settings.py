"""OBJECT_STORE=s3 and what belongs to it: all of it, or one line that says what is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from runner import wiring
from runner.settings import SettingsError, load, secrets

WHOLE = {
    "s3_endpoint": "minio:9000",
    "s3_access_key": "reprise",
    "s3_secret_key": "hunter2-hunter2",
    "s3_bucket": "reprise",
}


def site(tmp_path, **changes):
    return load(data_dir=tmp_path, object_store="s3", **{**WHOLE, **changes})


@pytest.mark.parametrize("name", WHOLE)
def test_a_missing_one_is_named_in_one_line(tmp_path, name):
    with pytest.raises(SettingsError) as refused:
        site(tmp_path, **{name: None})
    assert str(refused.value) == f"REPRISE_OBJECT_STORE='s3': needs REPRISE_{name.upper()} too"


def test_several_missing_ones_are_named_together(tmp_path):
    with pytest.raises(SettingsError) as refused:
        load(data_dir=tmp_path, object_store="s3", s3_secret_key="hunter2-hunter2", s3_bucket="reprise")
    assert str(refused.value) == "REPRISE_OBJECT_STORE='s3': needs REPRISE_S3_ENDPOINT, REPRISE_S3_ACCESS_KEY too"


def test_a_folder_store_needs_none_of_them(tmp_path):
    assert load(data_dir=tmp_path).object_store == "fs"


@pytest.mark.parametrize(
    "name, value",
    [
        ("s3_endpoint", "http://minio:9000"),
        ("s3_endpoint", "minio:9000/path"),
        ("s3_endpoint", "minio:port"),
        ("s3_public_endpoint", "https://files.example.org/x"),
        ("s3_public_endpoint", "ftp://files.example.org"),
        ("s3_bucket", "My_Bucket"),
        ("s3_bucket", "ab"),
        ("s3_region", ""),
        ("object_store", "gcs"),
    ],
)
def test_a_wrong_one_is_refused_in_one_line_without_the_secret(tmp_path, name, value):
    with pytest.raises(SettingsError) as refused:
        load(data_dir=tmp_path, **{"object_store": "s3", **WHOLE, name: value})
    told = str(refused.value)
    assert told.startswith(f"REPRISE_{name.upper()}={value!r}: ")
    assert "\n" not in told
    assert "hunter2" not in told


@pytest.mark.parametrize(
    "changes, begins",
    [
        ({}, "https://minio:9000/reprise/k?"),
        ({"s3_secure": False}, "http://minio:9000/reprise/k?"),
        ({"s3_public_endpoint": "files.example.org"}, "https://files.example.org/reprise/k?"),
        ({"s3_secure": False, "s3_public_endpoint": "https://f.example.org"}, "https://f.example.org/reprise/k?"),
        ({"s3_public_endpoint": "http://localhost:9000"}, "http://localhost:9000/reprise/k?"),
    ],
)
def test_files_have_addresses_on_the_public_endpoint(tmp_path, changes, begins):
    ports = wiring.build(site(tmp_path, **changes))
    assert ports.objects.url("k", filename="f", content_type="a/b").startswith(begins)
    assert ports.objects.location("papers/") == "s3://reprise/papers/"


def test_the_secret_is_among_those_that_are_masked(tmp_path):
    assert "hunter2-hunter2" in secrets(site(tmp_path))
    assert "hunter2" not in repr(site(tmp_path))


def test_a_site_without_a_bucket_does_not_load_its_client(tmp_path):
    code = f"""
import sys
from runner import settings, wiring
wiring.build(settings.load(data_dir={str(tmp_path)!r}))
print("minio" in sys.modules, "psycopg" in sys.modules)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False False"
