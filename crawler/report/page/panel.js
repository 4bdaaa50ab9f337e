// The page of a URL: the row from which it was opened, and all that the crawl knows. It is a dialog over
// the view, and in the address, so that Back closes it.
const panel = element("dialog", { className: "panel", ariaLabel: "Details" });
document.body.append(panel);
let hiding = false; // the address has no panel any more
panel.addEventListener("close", () => {
  if (!hiding) leavePanel();
  hiding = false;
});
panel.addEventListener("click", (event) => { if (event.target === panel) panel.close(); }); // beside it

const openURL = (url) => enterPanel({ url });
const openRow = (columns, values) => enterPanel({ url: columns[0][1] === "url" ? urlText(values[0]) : "", columns, values: columns.map(([, kind], i) => lasting(kind, values[i])) });
const lasting = (kind, v) => (kind === "url" ? urlText(v) : kind === "urls" ? [v[0], ...v.slice(1).map(urlText)] : v); // a number of a URL changes with the report
const urlButton = (url) => button(visible(url), () => openURL(url), { className: "open" });

const section = (title, ...nodes) => [element("h3", {}, ...[title].flat()), ...nodes];
const counted = (title, n) => [title + " ", element("span", { className: "count" }, number(n))];
const note = (text) => element("p", { className: "notes" }, text);
const list = (terms) => (terms.length ? [element("dl", {}, ...terms)] : []);
const term = (name, values) => (values.length ? [element("dt", {}, name), ...values.map((nodes) => element("dd", {}, ...nodes))] : []);

// Returns the terms of a row of a table, but for its first cells.
const fields = (columns, values, from) => columns.slice(from).flatMap(([title, kind, file], i) => {
  const v = values[i + from], texts = kinds[kind].texts(v).filter(Boolean);
  const items = texts.map((text) => [kind.startsWith("url") ? urlButton(text) : visible(text)]);
  if (kind === "urls" && v[0] > texts.length) items.push(["and " + number(v[0] - texts.length) + " more in " + file]);
  return term(title, items);
});

// Returns the terms of a line of a file, those that readers look for first. No member is left out.
const firstMembers = ["status", "title", "h1", "description", "lang", "canonical", "hreflang", "directives", "headers", "fields"];
const rank = (name) => (firstMembers.indexOf(name) + 1 || 99);
const members = (line, url) => Object.entries(line).filter(([name, v]) => !(name === "url" && v === url)).sort(([a], [b]) => rank(a) - rank(b))
  .flatMap(([name, v]) => {
    const title = name.replace(/_ms$/, "").replaceAll("_", " ");
    const values = Array.isArray(v) ? v : v && typeof v === "object" ? Object.entries(v).map(([key, of]) => ({ [key]: of })) : [v];
    return term(title.charAt(0).toUpperCase() + title.slice(1), values.map((of) => shown(name, of)).filter((nodes) => nodes.join("") !== ""));
  });
const shown = (name, v) => {
  if (Array.isArray(v)) return v.flatMap((of, i) => [i ? "; " : "", ...shown(name, of)]);
  if (v && typeof v === "object") return Object.entries(v).flatMap(([key, of], i) => [(i ? ", " : "") + visible(key) + ": ", ...shown(key, of)]);
  if (typeof v === "number") return [/_ms$/.test(name) ? millis(v) : name === "bytes" ? size(v) : name === "status" ? String(v) : number(v)];
  if (typeof v !== "string") return [v === true ? "yes" : String(v)];
  return [isWebLink(v) ? urlButton(v) : visible(v)];
};

// Returns the redirects that led to a URL, and those that it leads to.
const chain = async (url, known) => {
  const steps = [], line = (of) => of.page ?? of.check;
  for (const before of (line(known)?.redirects ?? []).slice(0, 20)) steps.push([before, line(await details(before))?.status]);
  for (let at = url, of = known; steps.length < 20; of = await details(at)) {
    const again = steps.some(([u]) => u === at), { status, location } = line(of) ?? {};
    steps.push([at, status]);
    if (!location || again) break;
    at = location.replace(/#.*/s, "");
  }
  return steps.length < 2 ? [] : section("Redirects", element("ol", {}, ...steps.map(([at, status]) =>
    element("li", {}, status ? status + " " : "", at === url ? visible(at) : isWebLink(at) ? urlButton(at) : visible(at)))));
};

const robotsRule = ({ url, group, rule, line, allowed, latest, outcome }) => section("robots.txt", ...list([
  ...term("Verdict", [[outcome && outcome !== "allow-all" ? "unknown: robots.txt could not be fetched" : allowed ? "allowed" : "disallowed"]]), ...term("Rule", [[rule ? visible(rule) + (line ? ", line " + line : "") : outcome === "allow-all" ? "none: there is no robots.txt" : allowed ? "no rule matches, so the URL is allowed" : "none"]]),
  ...term("Group", [[group ? visible(group) : "none"]]), ...term("File", [[urlButton(url)]]), ...term("Note", latest ? [["This is the latest robots.txt: the crawl recorded none for this URL."]] : []),
]));

// Returns the rows of the tables of findings and of changes that have a URL in their first cell.
const findings = (url, ids) => {
  const id = data.urls.indexOf(url);
  const found = data.tables.filter((t) => /^(new|fixed|change)-/.test(t.id) || document.getElementById("rule-" + t.id)).flatMap(({ id: rule, title, columns, values }) => {
    if (columns[0][1] !== "url") return [];
    return values[0].flatMap((v, i) => (id >= 0 && v === id ? [{ rule, title, terms: fields(columns, values.map((column) => column[i]), 1) }] : []));
  });
  for (const rule of ids) if (!found.some((f) => f.rule === rule)) found.push({ rule, title: rule, terms: [] });
  const part = (heading, some) => (some.length ? section(counted(heading, some.length), ...some.flatMap(({ rule, title, terms }) =>
    [element("p", {}, document.getElementById("rule-" + rule) ? element("a", { href: "#rule-" + rule }, title) : title), ...list(terms)])) : []);
  const changed = found.filter(({ rule }) => /^(new|fixed|change)-/.test(rule));
  return [...part("Findings", found.filter((f) => !changed.includes(f))), ...part("Changes since the baseline", changed)];
};

// Returns the tables of links of a URL, without the columns that are empty.
const linkTables = ({ inlinks = [], outlinks = [], inlink_count = inlinks.length }) => {
  const { count, omitted, images: recorded } = data.links;
  if (!count && !omitted) return [note("The crawl recorded no links.")];
  const part = (name, title, columns, rows, total = rows.length) => {
    const kept = columns.map((_, i) => i).filter((i) => i === 0 || rows.some((row) => row[i]));
    return section(counted(title, total), ...(rows.length < total ? [note("The first " + number(rows.length) + " are listed. “politecrawl report DIR --links-to URL” prints all.")] : []), ...(rows.length ? table(name, title, memory({
      columns: kept.map((i) => columns[i]), count: rows.length, values: kept.map((i) => rows.map((row) => row[i])),
    })).elements : []));
  };
  const columns = [["URL", "url"], ["Text", "text"], ["Rel", "text"], ["Kind", "text"]], isImage = ([, , , kind]) => kind === "img";
  const images = outlinks.filter(isImage).map(([url, text]) => [url, text || "(none)"]);
  return [
    ...(omitted ? [note("This report has the first " + number(count) + " links of the crawl. links.jsonl has " + number(omitted) + " more.")] : []),
    ...part("inlinks", "Pages that link to it", columns, inlinks, inlink_count), ...part("outlinks", "Links and files of this page", columns, outlinks.filter((link) => !isImage(link))),
    ...(images.length ? part("images", "Images of this page", [["URL", "url"], ["Alternative text", "text"]], images) : []),
    ...(outlinks.length && !recorded ? [note("The crawl recorded no images. “politecrawl crawl --links=full --check assets” records them.")] : []),
  ];
};

// Returns all that the crawl knows of a URL.
const detailNodes = async (url, columns) => {
  const all = tableOf("urls"), known = await details(url, true), { row, missing } = known, same = all && String(all.columns) === String(columns);
  return [
    ...(row && !same ? section("URL", ...list(fields(all.columns, row, 1))) : []),
    ...(missing ? [note("The lines of the crawl about this URL are not in this file. “politecrawl report DIR --serve 127.0.0.1:8080” shows them.")] : []),
    ...(all && !row && !missing ? [note("This URL is not in the table of URLs: the crawl has not requested it as a page, skipped or checked it.")] : []),
    ...(await chain(url, known)),
    ...[["Page", "page"], ["Skipped", "rejection"], ["Check", "check"], ["Permission", "permission"]].flatMap(([title, name]) => (known[name] ? section(title, ...list(members(known[name], url))) : [])),
    ...(known.robots ? robotsRule(known.robots) : []),
    ...(known.entries ? section(counted("Sitemap entries", known.entry_count), ...known.entries.flatMap((entry) => list(members(entry, url))), ...(known.entry_count > known.entries.length ? [note("The first " + number(known.entries.length) + " are listed. entries.jsonl has all.")] : [])) : []),
    ...findings(url, row?.[all.columns.findIndex(([title]) => title === "Findings")] ?? []),
    ...linkTables(known),
  ];
};

let panelCalls = 0; // of showPanel
const showPanel = async ({ url, columns, values, depth }) => {
  const call = ++panelCalls;
  const title = element("h2", { tabIndex: -1, autofocus: true }, visible(url || kinds[columns[0][1]].texts(values[0]).join(" ")));
  const tools = element("div", { className: "tools" }, button("Close", () => panel.close()));
  if (depth) tools.prepend(button("Back", () => history.back()));
  if (isWebLink(url)) tools.append(element("a", { href: url, rel: "noopener noreferrer nofollow", target: "_blank" }, "Open the URL"));
  const parts = [...(columns ? list(fields(columns, values, 1)) : []), ...(url ? await detailNodes(url, columns).catch((err) => [note(visible(err.message))]) : [])];
  if (call !== panelCalls) return; // another URL was opened meanwhile
  panel.replaceChildren(tools, title, ...parts);
  if (!panel.open) panel.showModal();
  panel.scrollTop = 0;
  title.focus();
};
const hidePanel = () => {
  panelCalls++;
  hiding = panel.open;
  panel.close();
};
