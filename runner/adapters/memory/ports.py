"""All memory versions put together."""

from __future__ import annotations

import pathlib

from runner.adapters.memory.archives import MemoryArchives
from runner.adapters.memory.clock import MemoryClock
from runner.adapters.memory.keys import MemoryKeys
from runner.adapters.memory.objects import MemoryObjects
from runner.adapters.memory.papers import MemoryPapers
from runner.adapters.memory.pdfs import MemoryPdfs
from runner.adapters.memory.queue import MemoryQueue
from runner.adapters.memory.rubrics import MemoryRubrics
from runner.adapters.memory.runlog import MemoryRunLog
from runner.adapters.memory.runs import MemoryRuns
from runner.adapters.memory.sandboxes import MemorySandbox, MemorySandboxes, Script
from runner.adapters.memory.state import State
from runner.adapters.memory.submissions import MemorySubmissions
from runner.adapters.memory.uploads import MemoryUploads
from runner.adapters.memory.workers import MemoryWorkers
from runner.ports import Ports

SECRET = b"the secret of memory"
ORIGIN = "http://127.0.0.1:8321"


def memory_ports(scratch: pathlib.Path, script: Script | None = None) -> Ports:
    """Ports without any service. `script` is what every sandbox runs; without one it succeeds in silence."""
    state = State()
    clock = MemoryClock()
    return Ports(
        papers=MemoryPapers(state),
        uploads=MemoryUploads(state),
        rubrics=MemoryRubrics(state),
        submissions=MemorySubmissions(state),
        runs=MemoryRuns(state),
        log=MemoryRunLog(state),
        keys=MemoryKeys(state),
        workers=MemoryWorkers(state),
        objects=MemoryObjects(SECRET, ORIGIN, clock.now),
        queue=MemoryQueue(),
        pdfs=MemoryPdfs(),
        archives=MemoryArchives(),
        sandboxes=MemorySandboxes(MemorySandbox(script)),
        clock=clock,
        scratch=scratch,
    )
