// Shows the directories of a table as a tree. A level becomes elements when it is opened.
const maxLevel = 1000; // rows that are shown of one level at once

// Returns the directories that are in no other. Those of the table are sorted, each before what is in it.
const rootsOf = ({ count, values }) => {
  const roots = [], path = [];
  for (let i = 0; i < count; i++) {
    const cells = values.map((column) => column[i]), node = { url: urlText(cells[0]), cells, below: [] };
    while (path.length && !node.url.startsWith(path.at(-1).url)) path.pop();
    (path.at(-1)?.below ?? roots).push(node);
    if (node.url) path.push(node); // every URL begins with an empty one
  }
  return roots;
};

const tree = (label, of) => {
  const { columns } = of, body = element("tbody");
  const rowsOf = (nodes, level, above) => {
    const rows = nodes.slice(0, maxLevel).map((node) => row(node, level, above)), rest = nodes.slice(maxLevel);
    if (rest.length) {
      const more = element("tr", {}, element("td", { colSpan: columns.length }, button("Show " + number(rest.length) + " more", () => more.replaceWith(...rowsOf(rest, level, above)))));
      more.dataset.level = level;
      rows.push(more);
    }
    return rows;
  };
  const row = (node, level, above) => {
    const name = node.url.slice(above.length);
    const toggle = button("", () => {
      const opens = toggle.ariaExpanded === "false";
      toggle.ariaExpanded = String(opens);
      if (opens) tr.after(...rowsOf(node.below, level + 1, node.url));
      else while (Number(tr.nextElementSibling?.dataset.level) > level) tr.nextElementSibling.remove();
    }, { className: "toggle", ariaExpanded: "false", ariaLabel: "Directories in " + visible(node.url) });
    const link = element("a", { href: "#urls?" + new URLSearchParams({ directory: node.url }), className: "url" }, brief(name) || "(none)");
    const first = element("td", {}, ...(node.below.length ? [toggle] : []), link);
    first.style.setProperty("--level", level);
    const tr = element("tr", {}, first, ...columns.slice(1).map(([title, kind], i) => {
      const v = node.cells[i + 1], td = element("td", { className: isNumeric(kind) ? "n" : "" }, element("span", { className: kind === "fault" && v > 0 ? "bad" : "" }, ...cellParts(kind, v)));
      td.dataset.label = title;
      return td;
    }));
    tr.dataset.level = level;
    return tr;
  };
  const roots = rootsOf(of);
  body.append(...rowsOf(roots, 0, ""));
  for (let nodes = roots, at = body.firstElementChild; nodes.length === 1 && nodes[0].below.length; nodes = nodes[0].below, at = at.nextElementSibling) at.querySelector(".toggle").click();
  const head = element("tr", {}, ...columns.map(([title, kind]) => element("th", { scope: "col", className: isNumeric(kind) ? "n" : "" }, title)));
  return element("table", { className: "tree", ariaLabel: label }, element("thead", {}, head), body);
};
