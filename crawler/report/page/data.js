// Reads the blocks of data. Each is compressed JSON, but for the links.
"use strict";
const block = (id) => {
  const text = atob(document.getElementById("block-" + id).textContent), bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")));
};
let data = null; // of the block, as soon as it is read
const tableOf = (id) => data.tables.find((t) => t.id === id);

// A URL is its number in data.urls, but a string in a response of the server.
const urlText = (v) => (typeof v === "string" ? v : data.urls[v] ?? "");

// Requests JSON of the server. It is undefined if it knows no such URL.
const request = async (path, parameters) => {
  const response = await fetch(path + "?" + new URLSearchParams(parameters)).catch((err) => { throw new Error(noResponse + err.message); });
  if (response.ok) return response.json();
  if (response.status !== 404) throw new Error((await response.text()).trim());
};
const noResponse = "The server does not answer: ";

// Returns what is known of a URL: its row in the table of URLs, the lines of the crawl's files, and, if they are
// wanted, the links to it and from it, each as [url, text, rel, kind].
let decoded = {}; // the last block of lines
let links = null;
const details = async (url, withLinks) => {
  if (data.links.served) return (await request("url", { url, links: withLinks ? 1 : 0 })) ?? {};
  const all = tableOf("urls"), id = data.urls.indexOf(url), place = id < 0 ? -1 : all?.values[0].indexOf(id) ?? -1;
  const known = { row: place < 0 ? undefined : all.values.map((column) => column[place]) };
  const name = "lines-" + Math.floor(place / data.lines.size);
  if (known.row && document.getElementById("block-" + name)) {
    if (decoded.name !== name) decoded = { name, lines: await block(name).json() };
    Object.assign(known, decoded.lines[place % data.lines.size] ?? { missing: true }); // the block was full
  } else known.missing = place >= 0 || all?.total > all?.count;
  if (!withLinks || !data.links.count || id < 0) return known;
  links ??= decodeLinks(new Uint8Array(await block("links").arrayBuffer()));
  Object.assign(known, { inlinks: [], outlinks: [] });
  for (let i = 0; i < links.to.length; i++) {
    if (links.to[i] === id) known.inlinks.push([links.from[i], ...data.links.texts[links.text[i]]]);
    if (links.from[i] === id) known.outlinks.push([links.to[i], ...data.links.texts[links.text[i]]]);
  }
  return known;
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
