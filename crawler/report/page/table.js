// Shows a table with search, filters, sorting and export. Only the rows that can be seen are elements.

// Returns the width of a column in rem. The first column tells the rows apart. A number is wide enough
// for the longest word of its title.
const widthOf = ([title, kind], i) => {
  if (i === 0) return 18;
  if (isNumeric(kind)) return Math.max(5.5, 2.5 + Math.max(...title.split(" ").map((word) => word.length)) / 2);
  return { url: 12, urls: 16 }[kind] ?? 9;
};

let tables = 0;
let printing = false; // all rows are elements
const overscan = 12; // rows above and below those that can be seen
const maxHeight = 15_000_000; // of all rows in pixels; browsers have a limit

// Change is called with the parameters that the reader sets; if missing, they apply at once.
const table = (name, label, source, change) => {
  const { columns } = source, id = "table" + ++tables;
  let parameters = new URLSearchParams(), view;
  let active = 0, height = 36; // of a row
  const drawn = new Map(); // rows that are elements, by place in the view

  const spacerAbove = element("tr", { ariaHidden: "true" }), spacerBelow = element("tr", { ariaHidden: "true" });
  const body = element("tbody", {}, spacerAbove, spacerBelow);
  body.setAttribute("role", "rowgroup");
  const heads = columns.map(([title, kind], i) => element("th", { scope: "col", role: "columnheader", className: isNumeric(kind) ? "n" : kind },
    button(title, () => set("sort", ((heads[i].ariaSort ? heads[i].ariaSort === "ascending" : isNumeric(kind)) ? "-" : "") + title.toLowerCase()))));
  const widths = columns.map(widthOf), width = widths.reduce((sum, w) => sum + w);
  const head = element("thead", { role: "rowgroup" }, element("tr", { role: "row", ariaRowIndex: 1 }, ...heads));
  const grid = element("table", { className: "grid", role: "grid", tabIndex: 0, ariaLabel: label }, head, body);
  grid.style.setProperty("--width", width + "rem");
  heads.forEach((th, i) => { th.style.width = (widths[i] / width) * 100 + "%"; });
  const scroller = element("div", { className: "scroller" }, grid);

  const row = (place) => {
    const values = view.row(place);
    const tr = element("tr", { id: id + "-" + place, role: "row", ariaRowIndex: place + 2, ariaBusy: values ? null : "true" }, ...columns.map(([title, kind], i) => {
      const v = values?.[i], shown = values ? cellParts(kind, v) : [], cut = shown.length > 1 ? "cut" : "";
      const bad = (kind === "fault" && v > 0) || (kind === "status" && v >= 400);
      const td = element("td", { role: "gridcell", className: (isNumeric(kind) ? "n" : "") + (bad ? " bad" : "") });
      td.dataset.label = title;
      td.append(i === 0 ? element("button", { type: "button", tabIndex: -1, className: "open " + cut }, ...(shown.length ? shown : [values ? "(none)" : "…"])) : element("span", { className: cut }, ...shown));
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
  // Returns how many pixels of rows pass for one of the scroll bar.
  const scrollScale = (room) => {
    const total = view.length * height;
    return total > maxHeight ? (total - room) / (maxHeight - room) : 1;
  };
  const space = () => scroller.clientHeight - head.getBoundingClientRect().height;
  const draw = () => {
    if (!scroller.clientWidth) return; // it is hidden
    if (printing) view.loadAll();
    const room = scroller.clientHeight, { scrollTop } = scroller, scale = scrollScale(space());
    const top = scale === 1 ? scrollTop : Math.min(scrollTop * scale, view.length * height - space());
    const first = printing ? 0 : Math.max(0, Math.floor(top / height) - overscan, Math.ceil((top - scrollTop) / height));
    const last = printing ? view.length : Math.min(view.length, Math.ceil((top + room) / height) + overscan);
    for (const [place, tr] of drawn) {
      if (place < first || place >= last || (tr.ariaBusy && view.row(place))) {
        tr.remove();
        drawn.delete(place);
      }
    }
    let next = spacerBelow;
    for (let place = last - 1; place >= first; place--) {
      const tr = drawn.get(place) ?? row(place);
      drawn.set(place, tr);
      if (tr.nextSibling !== next) next.before(tr);
      tr.classList.toggle("active", place === active);
      next = tr;
    }
    const above = printing ? 0 : scrollTop - top + first * height;
    spacerAbove.style.height = above + "px";
    spacerBelow.style.height = Math.max(0, Math.min(view.length * height, maxHeight) - above - (last - first) * height) + "px";
    if (printing) return;
    const measured = drawn.get(first)?.getBoundingClientRect().height;
    const known = height;
    height = measured || known;
    if (Math.abs(height - known) > 0.1 || scroller.clientHeight > room) draw();
  };
  const redraw = () => {
    const filtered = [...parameters.keys()].some((name) => name !== "sort");
    grid.ariaRowCount = view.length + 1;
    status.textContent = view.error ?? (view.loading ? "loading …" : filtered ? number(view.length) + " of " + rowCount(source.count) : "");
    save.textContent = "Export " + rowCount(view.length) + " as CSV";
    draw();
  };
  const apply = (wanted) => {
    parameters = wanted;
    for (const tr of drawn.values()) tr.remove();
    drawn.clear();
    active = scroller.scrollTop = 0;
    grid.removeAttribute("aria-activedescendant");
    const by = parameters.get("sort") ?? "";
    heads.forEach((th, i) => {
      const title = columns[i][0].toLowerCase();
      th.ariaSort = by === title ? "ascending" : by === "-" + title ? "descending" : null;
    });
    for (const e of inputs) {
      const value = parameters.get(e.name) ?? "";
      if (e.value !== value) e.value = value; // else the cursor moves
    }
    const asked = source.query(parameters, () => { if (view === asked) redraw(); });
    view = asked;
    redraw();
  };
  const set = (key, value, typing) => {
    const wanted = new URLSearchParams(parameters);
    if (value) wanted.set(key, value);
    else wanted.delete(key);
    (change ?? apply)(wanted, typing);
  };

  // Moves the active row, and scrolls until it can be seen below the head.
  const activate = (place) => {
    active = place;
    const room = space(), scale = scrollScale(room), top = place * height, above = scroller.scrollTop * scale;
    if (top < above) scroller.scrollTop = Math.floor(top / scale);
    else if (top > above + room - height) scroller.scrollTop = Math.ceil((top - room + height) / scale);
    draw();
    grid.setAttribute("aria-activedescendant", id + "-" + place);
  };
  const open = (place) => {
    const values = view.row(place);
    if (values) openRow(columns, values);
  };
  grid.addEventListener("keydown", (event) => {
    if (event.target.closest("thead") || !view.length) return;
    const screen = Math.max(1, Math.floor(scroller.clientHeight / height) - 2);
    const to = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + screen, PageUp: active - screen, Home: 0, End: view.length - 1 }[event.key];
    if (event.key === "Enter") open(active);
    else if (to === undefined) return;
    else activate(Math.min(Math.max(to, 0), view.length - 1));
    event.preventDefault();
  });
  scroller.addEventListener("scroll", draw);
  new ResizeObserver(draw).observe(scroller);

  const input = (key, placeholder, description) => {
    const e = element("input", { type: "search", name: key, placeholder, ariaLabel: description + label });
    let timer;
    e.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => set(key, e.value, true), 150);
    });
    return e;
  };
  const select = (key, properties, options) => {
    const e = element("select", { name: key, ...properties }, ...options);
    e.addEventListener("change", () => set(key, e.value));
    return e;
  };
  const search = input("text", "Search " + rowCount(source.count), "Search ");
  search.hidden = source.count < 5;
  const sorting = select("sort", { className: "sort", ariaLabel: "Sort " + label },
    columns.flatMap(([title]) => [new Option(title + " ▴", title.toLowerCase()), new Option(title + " ▾", "-" + title.toLowerCase())]));
  const filters = ["status", "kind", "indexable", "finding"].flatMap((key) => (source.choices?.[key] ? [[key, source.choices[key]]] : [])).map(([key, values]) => select(key, { ariaLabel: key + " of " + label }, [
    new Option(key === "indexable" ? "indexable or not" : "any " + key, ""), ...(key === "indexable" ? [new Option("no, for any reason", "no")] : []), ...values.map(({ name: value, count }) => new Option(value + " (" + number(count) + ")", value)),
  ]));
  if (source.choices) filters.push(input("directory", "Directory: https://…", "Directory of "));
  const inputs = [search, ...filters, sorting];
  const download = (extension, type, write) => () => {
    view.loadAll();
    redraw();
    if (view.error) return;
    const file = URL.createObjectURL(new Blob(write(columns, Array.from({ length: view.length }, (_, place) => view.row(place))), { type }));
    element("a", { href: file, download: name + "." + extension }).click();
    setTimeout(() => URL.revokeObjectURL(file), 60_000);
  };
  const save = button("", download("csv", "text/csv", csvFile), { className: "save" });
  const saveJSON = button("JSON", download("json", "application/json", jsonFile), { className: "save", ariaLabel: "Export " + label + " as JSON" });
  const status = element("span", { role: "status" });
  apply(parameters);
  return { elements: [element("div", { className: "tools" }, ...inputs, save, saveJSON, status), scroller], apply };
};
