"""The contract of `Uploads`."""

from __future__ import annotations

import pytest

from runner.domain import ids
from runner.domain.errors import NotFound
from runner.domain.papers import Upload


class UploadsContract:
    @pytest.fixture
    def upload(self, site, samples):
        upload = Upload(ids.new("up"), "再現.tar.gz", samples.file(), samples.now, samples.after(60))
        site.uploads.add(upload)
        return upload

    def test_reads_back_what_was_added_until_it_expires(self, site, samples, upload):
        assert site.uploads.get(upload.upload_id, samples.after(59.999999)) == upload
        with pytest.raises(NotFound) as refused:
            site.uploads.get(upload.upload_id, samples.after(60))
        assert refused.value.code == "upload_not_found"

    @pytest.mark.parametrize("upload_id", ["", "up_unknown", "\ud800", "a\0b"])
    def test_an_unknown_one_is_not_found(self, site, samples, upload_id):
        with pytest.raises(NotFound) as refused:
            site.uploads.get(upload_id, samples.now)
        assert refused.value.code == "upload_not_found"

    def test_an_upload_keeps_its_bytes_when_a_paper_with_the_same_file_goes(self, site, samples, upload):
        paper = site.papers.add(samples.paper(pdf=upload.file), samples.audit())
        assert site.papers.delete(paper.paper_id, samples.audit()) == ()


class TestMemory(UploadsContract):
    @pytest.fixture
    def site(self, memory_site):
        return memory_site


class TestSqlite(UploadsContract):
    @pytest.fixture
    def site(self, sqlite_site):
        return sqlite_site


class TestPostgreSQL(UploadsContract):
    @pytest.fixture
    def site(self, postgresql_site):
        return postgresql_site
