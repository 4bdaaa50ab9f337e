// Reads the blocks of data. Each is compressed JSON, but for the links.
const block = (id) => {
  const text = atob(document.getElementById("block-" + id).textContent), bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")));
};
let data = null; // of the block, as soon as it is read
const tableOf = (id) => data.tables.find((t) => t.id === id);

// A URL is its number in data.urls, but in a response of the server it is itself.
const urlText = (v) => (typeof v === "string" ? v : data.urls[v] ?? "");

// Returns the cells of a URL in the table of URLs, if it has it.
const rowOf = async (url) => {
  const all = tableOf("urls");
  if (all?.served) {
    const { rows: [row] } = await ask("urls", { directory: url, sort: "url", from: 0, rows: 1 }).catch(() => ({ rows: [] }));
    return row?.[0] === url ? row : undefined;
  }
  const place = placeOf(url);
  return place < 0 ? undefined : all.values.map((column) => column[place]);
};
const placeOf = (url) => (url ? tableOf("urls")?.values[0].indexOf(data.urls.indexOf(url)) ?? -1 : -1);

// Asks the server.
const ask = async (path, parameters) => {
  const response = await fetch(path + "?" + new URLSearchParams(parameters));
  if (!response.ok) throw new Error(await response.text());
  return response.json();
};

// Returns the lines of the crawl's files about a URL; undefined if they are not known here.
let decoded = {}; // the last block of lines
const details = async (url) => {
  if (data.links.served) return ask("url", { url }).catch((err) => ({ problem: err.message }));
  const place = placeOf(url), id = "lines-" + Math.floor(place / data.lines?.size);
  if (place < 0 || !document.getElementById("block-" + id)) return undefined;
  if (decoded.id !== id) decoded = { id, lines: await block(id).json() };
  return decoded.lines[place % data.lines.size];
};

// Returns the links to a URL and from it, each as [url, text, rel, kind].
let links = null;
const linksOf = async (url) => {
  links ??= decodeLinks(new Uint8Array(await block("links").arrayBuffer()));
  const id = data.urls.indexOf(url), inlinks = [], outlinks = [];
  for (let i = 0; id >= 0 && i < links.to.length; i++) {
    if (links.to[i] === id) inlinks.push([links.from[i], ...data.links.texts[links.text[i]]]);
    if (links.from[i] === id) outlinks.push([links.to[i], ...data.links.texts[links.text[i]]]);
  }
  return { inlinks, outlinks };
};

// Returns the links as arrays: page from[i] links to to[i], with the text text[i].
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
