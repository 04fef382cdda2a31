"""The memory ports as use cases and stages see them."""

from __future__ import annotations

import io
import tarfile
import zipfile
from datetime import timedelta

import pytest

from runner.adapters.memory.ports import memory_ports
from runner.domain.errors import Invalid
from runner.ports import ScriptOutcome, ScriptSpec


@pytest.fixture
def ports(tmp_path):
    return memory_ports(tmp_path)


def spec(tree):
    return ScriptSpec(tree, tree, ("bash", "./reproduce.sh"), {}, time_limit_s=60)


def test_time_stands_still_until_it_is_moved(ports):
    before, monotonic = ports.clock.now(), ports.clock.monotonic()
    assert ports.clock.now() == before
    ports.clock.sleep(90)
    assert ports.clock.now() - before == timedelta(seconds=90)
    ports.clock.set(before - timedelta(days=1))
    assert ports.clock.monotonic() - monotonic == 90


def test_urls_of_files_expire_with_the_clock(ports):
    ports.objects.put("a", io.BytesIO(b"x"))
    first = ports.objects.url("a", filename="a", content_type="text/plain")
    ports.clock.advance(1)
    assert ports.objects.url("a", filename="a", content_type="text/plain") != first


def test_a_python_function_is_the_script(tmp_path):
    def script(spec, write, should_stop):
        write(b"computing\n")
        (spec.tree / "out.csv").write_text("1")
        return 3

    sandbox = memory_ports(tmp_path, script).sandboxes.choose("auto")
    printed = []
    outcome = sandbox.run(spec(tmp_path), printed.append, lambda: False)
    assert (outcome.exit_code, outcome.timed_out, printed) == (3, False, [b"computing\n"])
    assert (tmp_path / "out.csv").exists()
    assert sandbox.specs == [spec(tmp_path)]


def test_a_script_may_have_any_outcome(tmp_path):
    lost = ScriptOutcome(None, None, False, False, 0.0, failure="sandbox_start_failed")
    sandbox = memory_ports(tmp_path, lambda *_: lost).sandboxes.choose(None)
    assert sandbox.run(spec(tmp_path), print, lambda: False) == lost


def test_a_site_without_a_sandbox_refuses(ports):
    ports.sandboxes.refusal = "sandbox_unavailable"
    with pytest.raises(Invalid) as refused:
        ports.sandboxes.choose("auto")
    assert refused.value.code == "sandbox_unavailable"


@pytest.mark.parametrize("top", ["", "study/"])
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_archives_are_listed_and_unpacked_from_their_root(ports, tmp_path, kind, top):
    path = tmp_path / "archive"
    contents = {"reproduce.sh": b"exit 0\n", "data/in.csv": b"1,2\n"}
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in contents.items():
                archive.writestr(top + name, data)
    else:
        with tarfile.open(path, "w:gz") as archive:
            for name, data in contents.items():
                member = tarfile.TarInfo(top + name)
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
    listing = ports.archives.inspect(path)
    assert [file.path for file in listing.files] == ["data/in.csv", "reproduce.sh"]
    assert ports.archives.unpack(path, tmp_path / "tree") == listing
    assert {name: (tmp_path / "tree" / name).read_bytes() for name in contents} == contents


def test_what_is_no_archive_or_no_pdf_is_refused(ports, tmp_path):
    path = tmp_path / "file"
    for content, code in [(b"", "pdf_empty"), (b"<html>", "pdf_not_a_pdf")]:
        path.write_bytes(content)
        with pytest.raises(Invalid) as refused:
            ports.pdfs.inspect(path)
        assert refused.value.code == code
    with pytest.raises(Invalid) as refused:
        ports.archives.inspect(path)
    assert refused.value.code == "submission_bad_archive"
    path.write_bytes(ports.pdfs.render("<p>再現</p>", "ja", "run_1"))
    assert ports.pdfs.inspect(path).pages == 1
