/** A section that shows an API list and looks again while something moves. Subclasses say what it is and how a row looks. */
import { get } from "./api.js";
import { make, table } from "./elements.js";
import { text } from "./language.js";

const PAUSE_MS = 4000;

export class LiveList extends HTMLElement {
  items = null;
  error = null;

  connectedCallback() {
    this.attached = new AbortController();
    const { signal } = this.attached;
    document.addEventListener("language", () => this.show(), { signal });
    document.addEventListener("visibilitychange", () => document.hidden || this.load(), { signal });
    this.load();
  }

  disconnectedCallback() {
    this.attached.abort();
    clearTimeout(this.timer);
  }

  async load() {
    clearTimeout(this.timer);
    try {
      const { answer } = await get(this.path);
      this.items = answer[this.member];
      this.error = null;
    } catch (error) {
      this.error = error;
    }
    this.show();
    if (!document.hidden && (this.error || this.items.some((item) => this.isMoving(item)))) {
      this.timer = setTimeout(() => this.load(), PAUSE_MS);
    }
  }

  show() {
    const parts = [make("h2", { textContent: text(this.heading) })];
    if (this.error) parts.push(this.failure());
    if (this.items?.length) parts.push(table(text(this.heading), this.columns.map(text), this.items.map((item) => this.row(item))));
    else if (this.items) parts.push(make("p", {}, text(this.empty), make("code", { className: "command", textContent: text("demo") })));
    else if (!this.error) parts.push(make("p", { className: "quiet", textContent: text("loading") }));
    this.setAttribute("aria-busy", String(this.items === null && !this.error));
    this.replaceChildren(...parts);
  }

  failure() {
    const known = this.error.code ? `${this.error.message} (${this.error.code})` : text("unreachable");
    const line = make("p", { className: "error", textContent: known });
    line.setAttribute("role", "alert");
    return line;
  }

  isMoving() {
    return false;
  }
}
