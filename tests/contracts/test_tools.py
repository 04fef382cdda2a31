"""The contracts of the ports that hold no state: `Archives`, `Pdfs`, `Clock`, `Sandbox`."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile

import pytest

from runner.adapters.archives import ArchiveFiles
from runner.adapters.clock import SystemClock
from runner.adapters.memory.archives import MemoryArchives
from runner.adapters.memory.clock import MemoryClock
from runner.adapters.memory.pdfs import MemoryPdfs
from runner.adapters.memory.sandboxes import MemorySandbox
from runner.adapters.pdfs import PdfFiles
from runner.domain.errors import Invalid
from runner.ports import ScriptSpec
from runner.sandboxes.bubblewrap import Bubblewrap
from runner.sandboxes.local import Local

FILES = {"reproduce.sh": b"true\n", "src/a.py": b"print(1)\n"}


def tar(files):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return raw.getvalue()


def zipped(files):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return raw.getvalue()


class ArchivesContract:
    @pytest.mark.parametrize("pack", [tar, zipped])
    @pytest.mark.parametrize("top", ["", "project/"])
    def test_what_is_listed_is_what_is_unpacked(self, archives, tmp_path, pack, top):
        packed = tmp_path / "packed"
        packed.write_bytes(pack({top + name: data for name, data in FILES.items()}))
        listing = archives.inspect(packed)
        assert {f.path: f.sha256 for f in listing.files} == {n: hashlib.sha256(d).hexdigest() for n, d in FILES.items()}
        assert listing.files_total == 2
        assert archives.unpack(packed, tmp_path / "tree").files == listing.files
        assert {name: (tmp_path / "tree" / name).read_bytes() for name in FILES} == FILES

    @pytest.mark.parametrize("content,code", [("hello", "submission_bad_archive"), (None, "submission_empty")])
    def test_what_is_no_use_is_refused(self, archives, tmp_path, content, code):
        (tmp_path / "packed").write_bytes(tar({}) if content is None else content.encode())
        with pytest.raises(Invalid) as refused:
            archives.inspect(tmp_path / "packed")
        assert refused.value.code == code


class TestMemoryArchives(ArchivesContract):
    @pytest.fixture
    def archives(self):
        return MemoryArchives()


class TestArchiveFiles(ArchivesContract):
    @pytest.fixture
    def archives(self):
        return ArchiveFiles()


class PdfsContract:
    @pytest.mark.parametrize("data,code", [(b"", "pdf_empty"), (b"<html>", "pdf_not_a_pdf")])
    def test_what_is_no_pdf_is_refused(self, pdfs, tmp_path, data, code):
        (tmp_path / "paper.pdf").write_bytes(data)
        with pytest.raises(Invalid) as refused:
            pdfs.inspect(tmp_path / "paper.pdf")
        assert refused.value.code == code

    @pytest.mark.slow
    def test_what_it_renders_is_a_pdf_that_it_accepts(self, pdfs, tmp_path):
        page = "<!doctype html><html lang=en><title>T</title><p>" + "Some words of text. " * 20
        (tmp_path / "report.pdf").write_bytes(pdfs.render(page, "en", "run_1"))
        facts = pdfs.inspect(tmp_path / "report.pdf")
        assert facts.pages == 1
        assert facts.letters > 100


class TestMemoryPdfs(PdfsContract):
    @pytest.fixture
    def pdfs(self):
        return MemoryPdfs()


class TestPdfFiles(PdfsContract):
    @pytest.fixture
    def pdfs(self):
        return PdfFiles()


class ClockContract:
    def test_sleeping_moves_both_times_and_the_zone_is_known(self, clock):
        now, monotonic = clock.now(), clock.monotonic()
        assert now.utcoffset() is not None
        clock.sleep(0.01)
        assert clock.monotonic() - monotonic >= 0.0099
        assert clock.now() > now


class TestMemoryClock(ClockContract):
    @pytest.fixture
    def clock(self):
        return MemoryClock()


class TestSystemClock(ClockContract):
    @pytest.fixture
    def clock(self):
        return SystemClock()


class SandboxContract:
    """`sandbox` runs a script that prints `hello`, makes `out.txt` and exits with 3."""

    def test_a_script_prints_leaves_files_and_ends_with_its_code(self, sandbox, tmp_path):
        tree, scratch = tmp_path / "tree", tmp_path / "scratch"
        tree.mkdir()
        scratch.mkdir()
        (tree / "reproduce.sh").write_text("echo hello\necho 1 > out.txt\nexit 3\n")
        environment = sandbox.environment("run_1", 2, "p", tree, scratch)
        assert (environment["REPRISE_RUN_ID"], environment["REPRISE_ATTEMPT"]) == ("run_1", "2")
        spec = ScriptSpec(tree, scratch, ("bash", "./reproduce.sh"), environment, time_limit_s=20)
        printed = []
        outcome = sandbox.run(spec, printed.append, lambda: False)
        assert (outcome.exit_code, outcome.signal, outcome.timed_out, outcome.stopped) == (3, None, False, False)
        assert outcome.failure is None
        assert b"".join(printed) == b"hello\n"
        assert (tree / "out.txt").read_text() == "1\n"

    def test_its_probe_passes(self, sandbox):
        assert sandbox.probe().ok, sandbox.probe()


class TestMemorySandbox(SandboxContract):
    @pytest.fixture
    def sandbox(self):
        def script(spec, show, should_stop):
            show(b"hello\n")
            (spec.tree / "out.txt").write_text("1\n")
            return 3

        return MemorySandbox(script)


class TestBubblewrap(SandboxContract):
    @pytest.fixture
    def sandbox(self):
        return Bubblewrap()


class TestLocal(SandboxContract):
    @pytest.fixture
    def sandbox(self):
        return Local()
