/** Small makers of elements; text goes in as text only. */
export function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/**
 * A table in its own scroller. `rows` are lists of cells: strings or elements; the first cell of a row heads it.
 * A narrow page shows each row as a card: cells carry their heading as a label, and roles, which `display` would take away.
 */
export function table(caption, headings, rows) {
  const head = make("tr", { role: "row" }, ...headings.map((heading) => make("th", { scope: "col", role: "columnheader", textContent: heading })));
  const body = rows.map((cells) =>
    make("tr", { role: "row" }, ...cells.map((cell, index) => asCell(cell, index, headings[index]))));
  const inner = make("table", { role: "table" }, make("caption", { textContent: caption }),
    make("thead", { role: "rowgroup" }, head), make("tbody", { role: "rowgroup" }, ...body));
  const scroller = make("div", { className: "scroller", tabIndex: 0 }, inner);
  scroller.setAttribute("role", "region");
  scroller.setAttribute("aria-label", caption);
  return scroller;
}

function asCell(given, index, heading) {
  const isCell = given instanceof HTMLTableCellElement;
  const cell = isCell ? given : index === 0 ? make("th", { scope: "row" }, given) : make("td", {}, given);
  cell.role = index === 0 ? "rowheader" : "cell";
  cell.dataset.label = heading;
  return cell;
}
