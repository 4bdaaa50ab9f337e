// A source has the rows of a table. Its query takes the parameters of the address, and returns a view of
// the rows that match: their number, and the values of a row if they are known. loadAll makes all known.

// Has all rows in memory.
const memory = ({ columns, count, values, choices }) => {
  const column = (name) => columns.findIndex(([title]) => title.toLowerCase() === name);
  const of = (name) => values[column(name)];
  const tests = {
    status: (want) => (i) => statusClass(of("status")[i]) === want,
    kind: (want) => (i) => of("kind")[i] === want,
    indexable: (want) => (i) => (want === "no" ? !["", "yes"].includes(of("indexable")[i]) : of("indexable")[i] === want),
    finding: (want) => (i) => of("findings")[i].includes(want),
    directory: (want) => (i) => urlText(of("url")[i]).startsWith(want),
    text: (want) => matcher(want.toLowerCase().split(/\s+/).filter(Boolean), columns, values),
  };
  let sorted = {}; // the last order
  const sort = (by) => {
    if (sorted.by === by) return sorted.order;
    const at = column(by.replace(/^-/, "")), sign = by.startsWith("-") ? -1 : 1, order = Uint32Array.from({ length: count }, (_, i) => i);
    if (at >= 0) {
      const keys = values[at].map(kinds[columns[at][1]].order);
      order.sort((a, b) => (keys[a] < keys[b] ? -sign : keys[a] > keys[b] ? sign : a - b));
    }
    sorted = { by, order };
    return order;
  };
  const query = (parameters) => {
    const wanted = Object.keys(tests).filter((name) => parameters.get(name)).map((name) => tests[name](parameters.get(name)));
    const all = sort(parameters.get("sort") ?? ""), order = wanted.length ? all.filter((i) => wanted.every((matches) => matches(i))) : all;
    const row = (place) => values.map((column) => column[order[place]]);
    return { length: order.length, row, loadAll: () => {} };
  };
  return { columns, count, choices, query };
};
const statusClass = (v) => (v === null ? "" : v === 0 ? "none" : Math.floor(v / 100) + "xx");

// Returns a function that reports whether a row has all words. Numbers do not count, except a status.
const matcher = (words, columns, values) => {
  const hits = words.map((word) => columns.some(([, kind]) => kind.startsWith("url")) && data.urls.map((u) => u.toLowerCase().includes(word)));
  const has = (kind, v, i) => {
    if (kind === "url" && typeof v === "number") return v >= 0 && hits[i][v];
    if (kind === "urls") return v.some((u, at) => at > 0 && hits[i][u]);
    return kinds[kind].texts(v).some((text) => text.toLowerCase().includes(words[i]));
  };
  const searched = [...columns.keys()].filter((c) => columns[c][1] === "status" || !isNumeric(columns[c][1]));
  return (row) => words.every((_, i) => searched.some((c) => has(columns[c][1], values[c][row], i)));
};

// Asks the server for rows. Changed is called when there are more.
const pageRows = 200, maxRows = 10_000;
const server = ({ columns, count, choices }) => {
  const query = (parameters, changed) => {
    const pages = new Map(); // rows by the number of the page
    const view = { length: 0, loading: true };
    const parametersOf = (from, rows) => ({ ...Object.fromEntries(parameters), from, rows });
    const receive = (from, { total, rows }) => {
      Object.assign(view, { length: total, loading: false, error: undefined });
      for (let i = 0; i === 0 || i < rows.length; i += pageRows) pages.set((from + i) / pageRows, rows.slice(i, i + pageRows));
    };
    const load = async (page) => {
      pages.set(page, null);
      await request("urls", parametersOf(page * pageRows, pageRows)).then((response) => receive(page * pageRows, response), (err) => { view.error = visible(err.message); });
      changed();
      if (!pages.get(page)) pages.delete(page); // a failed request is repeated when the rows are drawn again
    };
    view.row = (place) => {
      const page = Math.floor(place / pageRows);
      if (!pages.has(page)) load(page);
      return pages.get(page)?.[place % pageRows];
    };
    // Waits for all rows: nothing else may run before the page is printed.
    view.loadAll = () => {
      try {
        for (let from = 0; view.loading || from < view.length; from += maxRows) {
          const xhr = new XMLHttpRequest();
          xhr.open("GET", "urls?" + new URLSearchParams(parametersOf(from, maxRows)), false);
          xhr.send();
          receive(from, JSON.parse(xhr.responseText));
        }
        view.loadAll = () => {};
      } catch (err) {
        view.error = noResponse + err.message;
      }
    };
    load(0);
    return view;
  };
  return { columns, count, choices, query };
};
