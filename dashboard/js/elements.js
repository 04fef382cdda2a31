/** Small makers of elements; text goes in as text only. */
export function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** A table in its own scroller. `rows` are lists of cells: strings or elements; the first cell of a row heads it. */
export function table(caption, headings, rows) {
  const head = make("tr", {}, ...headings.map((heading) => make("th", { scope: "col", textContent: heading })));
  const body = rows.map((cells) =>
    make("tr", {}, ...cells.map((cell, index) => asCell(cell, index))));
  const inner = make("table", {}, make("caption", { textContent: caption }), make("thead", {}, head), make("tbody", {}, ...body));
  const scroller = make("div", { className: "scroller", tabIndex: 0 }, inner);
  scroller.setAttribute("role", "region");
  scroller.setAttribute("aria-label", caption);
  return scroller;
}

function asCell(cell, index) {
  if (index === 0) return make("th", { scope: "row" }, cell);
  return cell instanceof HTMLTableCellElement ? cell : make("td", {}, cell);
}
