/** `<run-list>`: the newest runs with status, score and coverage, their log and their report. */
import { get, logUrl, reachable, reportPath } from "./api.js";
import { make } from "./elements.js";
import { language, tag, text } from "./language.js";
import { LiveList } from "./live-list.js";

const FINAL = new Set(["completed", "failed", "cancelled"]);

class RunList extends LiveList {
  path = "/runs?limit=20";
  member = "runs";
  heading = "runs";
  empty = "no_runs";
  columns = ["run", "paper", "status", "score", "coverage", "started", "files"];
  reports = new Map();

  isMoving(run) {
    return !FINAL.has(run.status);
  }

  row(run) {
    return [
      make("code", { textContent: run.job_id }),
      run.paper_id,
      this.status(run),
      number(share(run.score)),
      number(share(run.coverage)),
      when(run.created_at),
      make("td", { className: "actions" }, make("a", { href: logUrl(run.job_id), textContent: text("log") }), ...this.report(run)),
    ];
  }

  status(run) {
    const words = [text(`status_${run.status}`)];
    if (run.degraded) words.push(text("degraded"));
    if (this.isMoving(run) && run.current_stage) words.push(text(`stage_${run.current_stage}`), share(run.progress));
    const cell = make("td", {}, words.join(" · "));
    if (run.error) cell.append(make("div", { className: "error", textContent: run.error }));
    return cell;
  }

  report(run) {
    if (!FINAL.has(run.status)) return [];
    const made = this.reports.get(`${run.job_id} ${language()}`);
    if (typeof made === "string") return [make("span", { className: "quiet", textContent: made })];
    if (made) return Object.entries(made).map(([name, url]) => make("a", { href: reachable(url), textContent: name.split("/")[1].toUpperCase() }));
    return [make("button", { type: "button", textContent: text("report"), onclick: () => this.ask(run) })];
  }

  /** Asks for the report in the page's language until it is ready; links, or the reason why not, take the button's place. */
  async ask(run) {
    const key = `${run.job_id} ${language()}`;
    const path = reportPath(run.job_id, language());
    this.reports.set(key, text("rendering"));
    this.show();
    try {
      let { status, answer } = await get(path);
      while (status === 202) {
        await new Promise((done) => setTimeout(done, 1000 * answer.retry_after));
        ({ status, answer } = await get(path));
      }
      this.reports.set(key, answer.download_urls);
    } catch (error) {
      this.reports.set(key, error.message);
    }
    this.show();
  }
}

const number = (words) => make("td", { className: "number" }, words);
/** A part of 1 in percent as the report writes it: 100.0 and 0.0 are said of exactly 1 and 0 alone. */
function share(value) {
  if (value === null || value === undefined) return "–";
  const hundredths = value > 0 && value < 1 ? Math.min(99.9, Math.max(0.1, 100 * value)) : 100 * value;
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return new Intl.NumberFormat(tag(), digits).format(hundredths) + (language() === "en" ? "\u00a0%" : "%");
}
const when = (instant) =>
  instant ? new Intl.DateTimeFormat(tag(), { dateStyle: "medium", timeStyle: "short" }).format(new Date(instant)) : "–";

customElements.define("run-list", RunList);
