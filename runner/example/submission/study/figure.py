"""Figure 1 of the paper as SVG: hit ratio against the speed of the drift. Text in, text out."""

from __future__ import annotations

from .experiment import SPEEDS, Point

WIDTH, HEIGHT = 340, 210
LEFT, RIGHT, TOP, BOTTOM = 34, 62, 10, 30
LOW, HIGH = 30.0, 60.0
FONT = 'font-family="Noto Sans, DejaVu Sans, sans-serif"'
LINES = (
    ("SIEVE", "fading", "SIEVE, fading", "#0b6e4f", ""),
    ("LRU", "either", "LRU, either", "#3d4654", "5 3"),
    ("SIEVE", "rising", "SIEVE, rising", "#b3392f", ""),
)


def draw(points: list[Point], crossover: float) -> str:
    """The whole figure; `crossover` is marked by a vertical line."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="figure-1-title">',
        '<title id="figure-1-title">Hit ratio of LRU and SIEVE against the speed of popularity drift</title>',
        *_axes(),
        *_crossover(crossover),
    ]
    for policy, direction, label, colour, dashes in LINES:
        line = [(p.speed, p.hit_ratio) for p in points if (p.policy, p.direction) == (policy, direction)]
        parts += _line(line, label, colour, dashes)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _x(speed: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * speed / SPEEDS[-1]


def _y(hit_ratio: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (hit_ratio - LOW) / (HIGH - LOW)


def _text(x: float, y: float, text: str, anchor: str, colour: str = "#3d4654") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="8.5" text-anchor="{anchor}" fill="{colour}" {FONT}>{text}</text>'


def _axes() -> list[str]:
    parts = []
    for value in range(int(LOW), int(HIGH) + 1, 10):
        y = _y(value)
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#d8dce2" stroke-width="0.6"/>')
        parts.append(_text(LEFT - 4, y + 3, f"{value} %", "end"))
    for speed in (0, 10, 20, 30, 40, 50):
        parts.append(_text(_x(speed), HEIGHT - BOTTOM + 12, str(speed), "middle"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 5, "drift, ranks per 1,000 requests", "middle"))
    return parts


def _crossover(speed: float) -> list[str]:
    x = _x(speed)
    return [
        f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}" stroke="#8a93a1" stroke-width="0.6" stroke-dasharray="1.5 2"/>',
        _text(x + 4, HEIGHT - BOTTOM - 5, f"crossover at {speed:.1f}", "start", "#5c6675"),
    ]


def _line(line: list[tuple[float, float]], label: str, colour: str, dashes: str) -> list[str]:
    path = " ".join(f"{_x(speed):.1f},{_y(ratio):.1f}" for speed, ratio in line)
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    dots = [f'<circle cx="{_x(speed):.1f}" cy="{_y(ratio):.1f}" r="2" fill="{colour}"/>' for speed, ratio in line]
    end = _text(WIDTH - RIGHT + 5, _y(line[-1][1]) + 3, label, "start", colour)
    return [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.4"{dash}/>', *dots, end]
