// Shows one topic at a time, tables with all rows, and the links of a URL. Without it, the page
// shows all topics and the first rows of each table.
"use strict";

// Reads a block of data, which is compressed.
const block = (id) => {
  const text = atob(document.getElementById("block-" + id).textContent), bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")));
};
let data = null; // of the block, as soon as it is read

const element = (name, properties, ...children) => {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
};
const button = (text, click, properties) => {
  const e = element("button", { type: "button", ...properties }, text);
  e.addEventListener("click", click);
  return e;
};
const number = (n) => n.toLocaleString("en");
const rounded = [0, 1].map((digits) => new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits, roundingMode: "halfEven", useGrouping: false }));
const size = (n) => {
  let unit = 0;
  for (; n >= 1000 && unit < 4; n /= 1000) unit++;
  return rounded[unit === 4 || (unit > 0 && n < 100) ? 1 : 0].format(n) + " " + ["B", "kB", "MB", "GB", "TB"][unit];
};
const millis = (n) => (n < 1000 ? n + " ms" : rounded[1].format(n / 1000) + " s");
const rowCount = (n) => number(n) + (n === 1 ? " row" : " rows");

// Escapes invisible characters and those that change the direction of writing.
const visible = (text) => text.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]/gu, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
const maxChars = 300; // of a cell
const brief = (text) => visible(text.length > maxChars ? text.slice(0, maxChars).toWellFormed() + "…" : text);
const isWebLink = (text) => text.length <= 8192 && /^https?:\/\/[^/]/i.test(text) && URL.canParse(text);

// The kinds of cells. texts returns the texts of a value, and order what it is sorted by.
const url = (i) => data.urls[i] ?? "";
const numeric = (format) => ({ texts: (v) => (v === null ? [] : [format(v)]), order: (v) => v ?? -1 });
const kinds = {
  text: { texts: (v) => [v], order: (v) => v },
  url: { texts: (v) => [url(v)], order: url },
  number: numeric(number),
  status: numeric((v) => (v ? String(v) : "no response")),
  size: numeric(size),
  millis: numeric(millis),
  urls: { texts: (v) => v.slice(1).map(url), order: (v) => v[0] },
  lines: { texts: (v) => v, order: (v) => v.join(" ") },
};
kinds.fault = kinds.number;
const isNumeric = (kind) => ["number", "fault", "status", "size", "millis"].includes(kind);

// Shows a value in a cell of the table: a single line.
const cellParts = (kind, v) => {
  const texts = kinds[kind].texts(v);
  if (!kind.startsWith("url")) return [brief(texts.join(" · "))].filter(Boolean);
  return urlParts(texts[0] ?? "", kind === "urls" && v[0] > 1 ? " and " + number(v[0] - 1) + " more" : "");
};

// A spreadsheet runs a cell that begins with one of these characters, or a part after a semicolon.
// An apostrophe prevents that. Package csvout does the same.
const formula = /^['"\s]*[=+\-@＝＋－＠]/;
const csvCell = (text) => {
  const line = text.replace(/[\t\n\r]/g, " ").replace(/\p{Cc}/gu, "\ufffd").replace(/\p{Bidi_Control}/gu, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
  const safe = line.replace(/[^;]*;|[^;]+$/g, (part) => (formula.test(part) ? "'" + part : part));
  return /[",]/.test(safe) || safe !== safe.trim() ? '"' + safe.replaceAll('"', '""') + '"' : safe;
};
const csvValue = (kind, v) => (isNumeric(kind) ? String(v ?? "") : csvCell(kinds[kind].texts(v).join(" ")));

// Returns a function that reports whether a row has all words.
const matcher = (words, columns) => {
  const hits = words.map((word) => columns.some(([, kind]) => kind.startsWith("url")) && data.urls.map((u) => u.toLowerCase().includes(word)));
  const has = (kind, v, i) => {
    if (kind === "url") return v >= 0 && hits[i][v];
    if (kind === "urls") return v.some((u, at) => at > 0 && hits[i][u]);
    return kinds[kind].texts(v).some((text) => text.toLowerCase().includes(words[i]));
  };
  return (row) => words.every((_, i) => columns.some(([, kind], c) => has(kind, row[c], i)));
};

// Returns the width of a column in rem. The first column tells the rows apart. A number is wide enough
// for the longest word of its title.
const widthOf = ([title, kind], i) => {
  if (i === 0) return 18;
  if (isNumeric(kind)) return Math.max(5, 2 + Math.max(...title.split(" ").map((word) => word.length)) / 2);
  return { url: 12, urls: 16 }[kind] ?? 9;
};

// Shows a URL that may be cut in its middle: many URLs of a site begin alike. More is what follows it.
const tail = 16; // characters that are never cut
const urlParts = (text, more) => {
  if (text.length <= (more ? tail : 2 * tail)) return [visible(text) + more].filter(Boolean);
  const cut = text.length - tail - /[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(-tail - 1).slice(0, 2)); // not in a character
  return [element("span", { className: "start" }, brief(text.slice(0, cut))), element("span", { className: "end" }, visible(text.slice(cut)) + more)];
};

// Shows a table with search, sorting and export. Only the rows that can be seen are elements.
let tables = 0;
let printing = false; // all rows are elements
const spare = 12; // rows above and below those that can be seen
const table = (name, label, columns, rows) => {
  const id = "table" + ++tables;
  let sorted = null, matches = null, words = []; // of indexes in rows
  let active = 0, height = 36; // of a row
  const drawn = new Map(); // rows that are elements, by place in matches

  const before = element("tr", { ariaHidden: "true" }), after = element("tr", { ariaHidden: "true" });
  const body = element("tbody", {}, before, after);
  body.setAttribute("role", "rowgroup");
  const heads = columns.map(([title, kind], i) => element("th", { scope: "col", role: "columnheader", className: isNumeric(kind) ? "n" : kind },
    button(title, () => sort(i, heads[i].ariaSort ? heads[i].ariaSort === "ascending" : isNumeric(kind)))));
  const widths = columns.map(widthOf), width = widths.reduce((sum, w) => sum + w);
  const head = element("thead", { role: "rowgroup" }, element("tr", { role: "row", ariaRowIndex: 1 }, ...heads));
  const grid = element("table", { className: "grid", role: "grid", tabIndex: 0, ariaLabel: label }, head, body);
  grid.style.setProperty("--width", width + "rem");
  heads.forEach((th, i) => { th.style.width = (widths[i] / width) * 100 + "%"; });
  const scroller = element("div", { className: "scroller" }, grid);

  const row = (place) => {
    const values = rows[matches[place]];
    const tr = element("tr", { id: id + "-" + place, role: "row", ariaRowIndex: place + 2 }, ...columns.map(([title, kind], i) => {
      const v = values[i], shown = cellParts(kind, v), cut = shown.length > 1 ? "cut" : "";
      const bad = (kind === "fault" && v > 0) || (kind === "status" && v >= 400);
      const td = element("td", { role: "gridcell", className: (isNumeric(kind) ? "n" : "") + (bad ? " bad" : "") });
      td.dataset.label = title;
      td.append(i === 0 ? element("button", { type: "button", tabIndex: -1, className: "open " + cut }, ...(shown.length ? shown : ["(none)"])) : element("span", { className: cut }, ...shown));
      return td;
    }));
    tr.addEventListener("click", () => {
      if (!getSelection().isCollapsed) return; // the reader selects text
      grid.focus({ preventScroll: true });
      activate(place);
      open(place);
    });
    return tr;
  };
  const draw = () => {
    if (!scroller.clientWidth) return; // it is hidden
    matches ??= rows.map((_, i) => i);
    const room = scroller.clientHeight;
    const first = printing ? 0 : Math.max(0, Math.floor(scroller.scrollTop / height) - spare);
    const last = printing ? matches.length : Math.min(matches.length, Math.ceil((scroller.scrollTop + room) / height) + spare);
    for (const [place, tr] of drawn) {
      if (place < first || place >= last) {
        tr.remove();
        drawn.delete(place);
      }
    }
    let next = after;
    for (let place = last - 1; place >= first; place--) {
      const tr = drawn.get(place) ?? row(place);
      drawn.set(place, tr);
      if (tr.nextSibling !== next) next.before(tr);
      tr.classList.toggle("active", place === active);
      next = tr;
    }
    before.style.height = first * height + "px";
    after.style.height = (matches.length - last) * height + "px";
    if (printing) return;
    const measured = drawn.get(first)?.getBoundingClientRect().height;
    const known = height;
    height = measured || known;
    if (Math.abs(height - known) > 0.1 || scroller.clientHeight > room) draw();
  };
  const redraw = () => {
    for (const tr of drawn.values()) tr.remove();
    drawn.clear();
    active = scroller.scrollTop = 0;
    grid.removeAttribute("aria-activedescendant");
    grid.ariaRowCount = (matches ?? rows).length + 1;
    status.textContent = words.length ? number(matches.length) + " of " + rowCount(rows.length) : "";
    save.textContent = "Export " + rowCount((matches ?? rows).length) + " as CSV";
    draw();
  };
  const select = () => {
    const order = sorted ?? rows.map((_, i) => i);
    const matching = words.length && matcher(words, columns);
    matches = matching ? order.filter((i) => matching(rows[i])) : order;
    redraw();
  };
  const sort = (column, down) => {
    heads.forEach((th, i) => { th.ariaSort = i !== column ? null : down ? "descending" : "ascending"; });
    const { order } = kinds[columns[column][1]], sign = down ? -1 : 1;
    const keys = rows.map((values) => order(values[column]));
    sorted = rows.map((_, i) => i).sort((a, b) => (keys[a] < keys[b] ? -sign : keys[a] > keys[b] ? sign : a - b));
    sorting.value = column + (down ? "-" : "+");
    select();
  };

  // Moves the active row, and scrolls until it can be seen below the head.
  const activate = (place) => {
    active = place;
    const top = place * height, room = scroller.clientHeight - head.offsetHeight - height;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top > scroller.scrollTop + room) scroller.scrollTop = top - room;
    draw();
    grid.setAttribute("aria-activedescendant", id + "-" + place);
  };
  const open = (place) => openPanel({ columns, values: rows[matches[place]] });
  grid.addEventListener("keydown", (event) => {
    if (event.target.closest("thead") || !matches?.length) return;
    const screen = Math.max(1, Math.floor(scroller.clientHeight / height) - 2);
    const to = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + screen, PageUp: active - screen, Home: 0, End: matches.length - 1 }[event.key];
    if (event.key === "Enter") open(active);
    else if (to === undefined) return;
    else activate(Math.min(Math.max(to, 0), matches.length - 1));
    event.preventDefault();
  });
  scroller.addEventListener("scroll", draw);
  new ResizeObserver(draw).observe(scroller);

  const search = element("input", { type: "search", placeholder: "Search " + rowCount(rows.length), ariaLabel: "Search " + label });
  search.hidden = rows.length < 5;
  search.addEventListener("input", () => {
    words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    select();
  });
  const sorting = element("select", { ariaLabel: "Sort " + label });
  columns.forEach(([title], i) => sorting.add(new Option(title + " ▴", i + "+")) ?? sorting.add(new Option(title + " ▾", i + "-")));
  sorting.selectedIndex = -1;
  sorting.addEventListener("change", () => sort(parseInt(sorting.value), sorting.value.endsWith("-")));
  const save = button("", () => {
    const lines = [columns.map(([title]) => csvCell(title)), ...(matches ?? rows.map((_, i) => i)).map((i) => columns.map(([, kind], c) => csvValue(kind, rows[i][c])))];
    const file = URL.createObjectURL(new Blob(lines.map((cells) => cells.join(",") + "\r\n"), { type: "text/csv" }));
    element("a", { href: file, download: name + ".csv" }).click();
    setTimeout(() => URL.revokeObjectURL(file), 60_000);
  }, { className: "save" });
  const status = element("span", { role: "status" });
  redraw();
  return [element("div", { className: "tools" }, search, sorting, save, status), scroller];
};

// Returns the links as arrays: page from[i] links to to[i], with the text text[i].
let links = null;
const decodeLinks = (bytes) => {
  const [from, to, text] = [0, 1, 2].map(() => new Uint32Array(data.links.count));
  let at = 0, i = 0;
  const next = () => {
    for (let value = 0, unit = 1; ; unit *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const page = next(), end = i + next();
    for (let j = i, target = 0; j < end; j++) {
      from[j] = page;
      to[j] = target += next();
    }
    for (; i < end; i++) text[i] = next();
  }
  return { from, to, text };
};

// The panel shows a whole row, and the links of its URL. Its URLs open it again.
const trail = []; // what it has shown
const panel = element("dialog", { className: "panel", ariaLabel: "Details" });
document.body.append(panel);
panel.addEventListener("close", () => { trail.length = 0; });
panel.addEventListener("click", (event) => { if (event.target === panel) panel.close(); }); // beside it
const urlButton = (i) => button(visible(url(i)), () => openPanel({ columns: [["URL", "url"]], values: [i] }), { className: "open" });
const openPanel = (view) => {
  trail.push(view);
  showPanel();
};
const showPanel = async () => {
  if (data.links.count) links ??= decodeLinks(new Uint8Array(await block("links").arrayBuffer()));
  const { columns, values } = trail.at(-1);
  const [[, kind]] = columns, id = kind === "url" ? values[0] : -1;
  const fields = columns.slice(1).flatMap(([title, kind, file], i) => {
    const v = values[i + 1], list = kinds[kind].texts(v).filter(Boolean);
    if (!list.length) return [];
    const items = kind.startsWith("url") ? (kind === "url" ? [v] : v.slice(1)).map(urlButton) : list.map((text) => element("span", {}, visible(text)));
    if (kind === "urls" && v[0] > list.length) items.push(element("span", {}, "and " + number(v[0] - list.length) + " more in " + file));
    return [element("dt", {}, title), ...items.map((item) => element("dd", {}, item))];
  });
  const title = element("h2", { tabIndex: -1, autofocus: true }, visible(kinds[kind].texts(values[0]).join(" ")));
  const tools = element("div", { className: "tools" }, button("Close", () => panel.close()));
  if (trail.length > 1) tools.prepend(button("Back", () => { trail.pop(); showPanel(); }));
  if (id >= 0 && isWebLink(url(id))) {
    tools.append(element("a", { href: url(id), rel: "noopener noreferrer nofollow", target: "_blank" }, "Open the URL"));
  }
  panel.replaceChildren(tools, title, ...(fields.length ? [element("dl", {}, ...fields)] : []), ...(id >= 0 ? linkTables(id) : []));
  if (!panel.open) panel.showModal();
  panel.scrollTop = 0;
  title.focus();
};
const linkTables = (id) => {
  const { count, omitted } = data.links;
  if (!count) return [element("p", {}, "This report has no links of pages.")];
  const inlinks = [], outlinks = [];
  for (let i = 0; i < count; i++) {
    if (links.to[i] === id) inlinks.push([links.from[i]]);
    if (links.from[i] === id) outlinks.push([links.to[i]]);
  }
  const part = (name, title, rows) => [
    element("h3", {}, title + " ", element("span", { className: "count" }, number(rows.length))),
    ...(rows.length ? table(name, title, [["URL", "url"]], rows) : []),
  ];
  const note = omitted ? [element("p", { className: "notes" }, "This report has the first " + number(count) + " links of the crawl. links.jsonl has " + number(omitted) + " more.")] : [];
  return [...note, ...part("inlinks", "Pages that link to it", inlinks), ...part("outlinks", "Links of this page", outlinks)];
};

const showTables = () => {
  for (const { id, columns, count, values } of data.tables) {
    const rows = Array.from({ length: count }, (_, i) => values.map((column) => column[i]));
  const place = document.querySelector('[data-table="' + id + '"]');
  const label = place?.closest("details")?.querySelector("summary") ?? place?.previousElementSibling;
  place?.replaceChildren(...table(id, label?.textContent.trim() ?? id, columns, rows));
  }
};

// Shows the topic of the address, or the first one.
const topics = [...document.querySelectorAll("main > section")];
const showTopic = () => {
  const target = document.getElementById(location.hash.slice(1));
  const topic = target?.closest("main > section") ?? topics[0];
  for (const t of topics) t.hidden = t !== topic;
  for (const a of document.querySelectorAll(".topics a")) a.ariaCurrent = a.hash === "#" + topic.id ? "page" : null;
  if (target?.tagName === "DETAILS") target.open = true;
  if (target && target !== topic) target.scrollIntoView();
  else scrollTo(0, Math.min(scrollY, document.querySelector(".topics").offsetTop));
};
addEventListener("hashchange", showTopic);

// Prints the topic with all of its rows.
let opened = [];
const drawTopic = () => {
  for (const scroller of document.querySelectorAll("main > section:not([hidden]) .scroller")) scroller.dispatchEvent(new Event("scroll"));
};
addEventListener("beforeprint", () => {
  printing = true;
  opened = [...document.querySelectorAll("main > section:not([hidden]) details:not([open])")];
  for (const details of opened) details.open = true;
  drawTopic();
});
addEventListener("afterprint", () => {
  printing = false;
  drawTopic();
  for (const details of opened) details.open = false;
});
showTopic();
block("data").json().then((read) => {
  data = read;
  showTables();
  showTopic();
});
