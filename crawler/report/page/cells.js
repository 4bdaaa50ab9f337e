// Shows the values of cells, and writes them to files. Texts of a site are always text nodes.
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
const rounded = (n, digits) => ((digits ? n % 1 === 0.25 : n % 2 === 0.5) ? n - 0.01 : n).toFixed(digits); // a half to the even digit, as package fmt does
const size = (n) => {
  let unit = 0;
  for (; n >= 1000 && unit < 4; n /= 1000) unit++;
  return rounded(n, unit === 4 || (unit > 0 && n < 100) ? 1 : 0) + " " + ["B", "kB", "MB", "GB", "TB"][unit];
};
const millis = (n) => (n < 1000 ? n + " ms" : rounded(n / 1000, 1) + " s");
const rowCount = (n) => number(n) + (n === 1 ? " row" : " rows");

// Escapes invisible characters and those that change the direction of writing.
const visible = (text) => text.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]/gu, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
const maxChars = 300; // of a cell
const brief = (text) => visible(text.length > maxChars ? text.slice(0, maxChars).toWellFormed() + "…" : text);
const isWebLink = (text) => text.length <= 8192 && /^https?:\/\/[^/]/i.test(text) && URL.canParse(text);

// The kinds of cells. texts returns the texts of a value, and order what it is sorted by.
const numeric = (format) => ({ texts: (v) => (v === null ? [] : [format(v)]), order: (v) => v ?? -1 });
const kinds = {
  text: { texts: (v) => [v], order: (v) => v },
  url: { texts: (v) => [urlText(v)], order: urlText },
  number: numeric(number),
  status: numeric((v) => (v ? String(v) : "no response")),
  size: numeric(size),
  millis: numeric(millis),
  urls: { texts: (v) => v.slice(1).map(urlText), order: (v) => v[0] },
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

// Shows a URL that may be cut in its middle: many URLs of a site begin alike. More is what follows it.
const tail = 16; // characters that are never cut
const urlParts = (text, more) => {
  if (text.length <= (more ? tail : 2 * tail)) return [visible(text) + more].filter(Boolean);
  const cut = text.length - tail - /[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(-tail - 1).slice(0, 2)); // not in a character
  return [element("span", { className: "start" }, brief(text.slice(0, cut))), element("span", { className: "end" }, visible(text.slice(cut)) + more)];
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
const jsonValue = (kind, v) => (kind === "url" || kind === "urls" ? (kind === "url" ? urlText(v) : kinds.urls.texts(v)) : v);

// Writes rows as a file: CSV, or JSON with an object for each row.
const csvFile = (columns, rows) => [columns.map(([title]) => csvCell(title)), ...rows.map((row) => columns.map(([, kind], i) => csvValue(kind, row[i])))].map((cells) => cells.join(",") + "\r\n");
const jsonFile = (columns, rows) => ["[", ...rows.map((row, at) => (at ? ",\n" : "\n") + JSON.stringify(Object.fromEntries(columns.map(([title, kind], i) => [title, jsonValue(kind, row[i])])))), "\n]\n"];
