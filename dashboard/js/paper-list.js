/** `<paper-list>`: what is registered, newest first. */
import { make } from "./elements.js";
import { text } from "./language.js";
import { LiveList } from "./live-list.js";

class PaperList extends LiveList {
  path = "/papers?limit=50";
  member = "papers";
  heading = "papers";
  empty = "no_papers";
  columns = ["title_of_paper", "id", "year", "license", "documents"];

  row(paper) {
    return [paper.title, make("code", { textContent: paper.paper_id }), paper.year ? String(paper.year) : "–", paper.spdx ?? paper.license, this.pdf(paper)];
  }

  pdf(paper) {
    if (!paper.pdf) return text("no_pdf");
    return make("a", { href: `/api/paperbench/papers/${encodeURIComponent(paper.paper_id)}/pdf`, textContent: "PDF" });
  }
}

customElements.define("paper-list", PaperList);
