"""The three configurations of a run, as a caller may ask for them (paperbench-api.md 6, POST /run).

Fields that later stages use are checked and kept from the start, so that a stored run always shows what was asked.
Slurm fields are tri-state: absent, a value, or null/0/"" for "none".
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

SandboxKind = Literal["auto", "bubblewrap", "docker", "podman", "apptainer", "slurm", "local"]
Model = Annotated[str, Field(min_length=1, max_length=200)]
_Text = Annotated[str, Field(max_length=1024)]
_Count = Annotated[int, Field(ge=0, le=1_000_000)]
_Gigabytes = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
_Temperature = Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)]


class Config(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class RubricConfig(Config):
    model: Model | None = None
    two_stage: bool = True
    target_leaf_count: int = Field(0, ge=0, le=2000)
    temperature: _Temperature = 0
    template: _Text | None = None
    seed: int | None = None
    rubric_id: _Text | None = None


class ReproduceConfig(Config):
    model: Model | None = None
    time_limit_sec: int = Field(43_200, ge=1, le=2_592_000)
    sandbox_kind: SandboxKind | None = None
    container_image: _Text | None = None
    network: bool = False
    max_steps: int = Field(200, ge=1, le=100_000)
    submission_id: _Text | None = None
    blacklist: list[Annotated[str, Field(min_length=1, max_length=2048)]] | None = Field(None, max_length=100)
    prepare_network: bool | None = None
    prepare_limit_sec: int = Field(3600, ge=60, le=86_400)
    command_limit_sec: int = Field(1800, ge=1, le=86_400)
    queue_limit_sec: Annotated[int, Field(ge=0, le=31_536_000)] | None = None
    gpu_request_style: Literal["per_task", "gres"] = "per_task"
    partition: _Text | None = None
    nodes: Annotated[int, Field(ge=0, le=100_000)] | None = None
    ntasks: _Count | None = None
    ntasks_per_node: _Count | None = None
    cpus_per_task: _Count | None = None
    exclusive: bool | None = None
    gpus_per_task: _Count | None = None
    gpus_per_node: _Count | None = None
    gpu_type: _Text | None = None
    memory_gb_per_node: _Gigabytes | None = None
    memory_gb_per_cpu: _Gigabytes | None = None
    constraint: _Text | None = None
    cpu_bind: _Text | None = None
    mem_bind: _Text | None = None
    hint: _Text | None = None
    nodelist: _Text | None = None
    exclude: _Text | None = None
    account: _Text | None = None
    qos: _Text | None = None
    extra_sbatch_args: list[_Text] | None = Field(None, max_length=100)


class JudgeConfig(Config):
    model: Model | None = None
    n_runs: int = Field(1, ge=1, le=9)
    code_only: bool | None = None
    skip_negative_control: bool = False
    batch_size: int = Field(8, ge=1, le=50)
    max_depth: Annotated[int, Field(ge=1, le=32)] | None = None
    resources_provided: bool = False
    temperature: _Temperature | None = None
    seed: int | None = None
    max_retries: int = Field(2, ge=0, le=5)
    context_tokens: Annotated[int, Field(ge=1000, le=100_000_000)] | None = None


class Configs(Config):
    """What a launch, a dry run and a cost estimate share."""

    rubric_config: RubricConfig = RubricConfig()
    reproduce_config: ReproduceConfig = ReproduceConfig()
    judge_config: JudgeConfig = JudgeConfig()

    def stored(self) -> dict[str, dict[str, Any]]:
        """As asked, with defaults filled in."""
        return {
            name: getattr(self, name).model_dump() for name in ("rubric_config", "reproduce_config", "judge_config")
        }


_SHOWN_BYTES = 4096


def shown(configs: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Configs for an answer: `blacklist` and `extra_sbatch_args` become counts when they are longer than 4 kB."""
    reproduce = dict(configs["reproduce_config"])
    for name in ("blacklist", "extra_sbatch_args"):
        value = reproduce[name]
        if value is not None and sum(len(item.encode()) + 4 for item in value) > _SHOWN_BYTES:
            reproduce[name] = len(value)
    return {**configs, "reproduce_config": reproduce}
