// Shows the events of the server and sends the commands of the user. Texts of sites are
// inserted as text only, never as markup.
"use strict";

const $ = (id) => document.getElementById(id);
const latest = {}; // latest data of each event
const drawn = {}; // data that is on the page
let stream, over = false, lost = false;

// Formats numbers and durations.
const number = (n) => n.toLocaleString("en");
const some = (n, what) => number(n) + " " + what + (n === 1 ? "" : "s");
const size = (n) => {
  for (const unit of ["B", "kB", "MB", "GB"]) {
    if (n < 1000) return (unit === "B" || n >= 100 ? n.toFixed(0) : n.toFixed(1)) + " " + unit;
    n /= 1000;
  }
  return n.toFixed(1) + " TB";
};
const duration = (ms) => {
  const s = ms / 1000;
  if (s === 0) return "0 s";
  if (s < 0.9995) return Math.max(1, Math.round(s * 1000)) + " ms";
  if (s < 10) return s.toFixed(1) + " s";
  if (s < 60) return s.toFixed(0) + " s";
  if (s < 3600) return Math.floor(s / 60) + " min " + String(Math.floor(s % 60)).padStart(2, "0") + " s";
  if (s < 172800) return Math.floor(s / 3600) + " h " + String(Math.floor((s % 3600) / 60)).padStart(2, "0") + " min";
  return Math.floor(s / 86400) + " days " + Math.floor((s % 86400) / 3600) + " h";
};

const element = (name, className, ...inside) => {
  const e = document.createElement(name);
  if (className) e.className = className;
  e.append(...inside.filter((i) => i !== "")); // a cell with nothing in it is empty
  return e;
};
const link = (url) => {
  if (!url.href) return element("span", "url", url.text);
  const a = element("a", "url", url.text);
  a.href = url.href;
  a.rel = "noopener noreferrer nofollow";
  a.target = "_blank";
  return a;
};
const clock = (at) => {
  const t = new Date(at);
  if (!at || isNaN(t)) return "";
  const near = Math.abs(t - Date.now()) < 43200000; // half a day
  const e = element("time", "", near ? t.toLocaleTimeString("en", { hour12: false }) :
    t.toLocaleString("en", { hour12: false, month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" }));
  e.dateTime = at;
  e.title = t.toLocaleString("en", { hour12: false });
  return e;
};
const code = (status, bad = status >= 400) => element("span", bad ? "code bad" : "code", String(status));
const more = (text) => (text ? element("span", "more", text) : "");
const whole = (...inside) => element("span", "", ...inside);

const outcomes = { rules: "rules apply", "allow-all": "everything is allowed", unreachable: "unreachable", "blocked-address": "blocked address" };
const isBad = (o) => o === "unreachable" || o === "blocked-address";
const outcome = (o) => element("span", isBad(o) ? "bad" : "", outcomes[o] ?? o);

// The cells of a row of each table.
const cells = {
  hosts: (h) => [
    link(h.host), number(h.done), number(h.waiting), number(h.in_flight), duration(h.delay_ms),
    h.due_in_ms ? element("span", h.blocked ? "warn-text" : "", (h.blocked ? "Retry-After, in " : "in ") + duration(h.due_in_ms)) : h.waiting ? "now" : "–",
    h.robots ? outcome(h.robots) : "", h.status ? whole(code(h.status), " ", clock(h.last_response_at)) : "",
  ],
  pages: (p) => [whole(link(p.url), more(p.note)), code(p.status), p.title ?? "", size(p.bytes), duration(p.duration_ms), clock(p.fetched_at)],
  rejections: (r) => [
    link(r.url), r.reason,
    whole(r.rule ? element("code", "", r.rule) : "", r.rule && r.line ? ", line " + r.line : "", r.rule && r.detail ? ", " : "", r.detail ?? ""), clock(r.at),
  ],
  errors: (e) => [link(e.url), element("span", "bad", e.message), clock(e.at)],
  robots: (r) => [
    link(r.host), whole(...(r.status ? ["status ", code(r.status, isBad(r.outcome)), ": "] : []), outcome(r.outcome), more(r.error)),
    r.outcome !== "rules" ? "" : whole(r.group ? some(r.rules, "rule") + " in group " + r.group : "none", r.crawl_delay_ms ? ", Crawl-delay " + duration(r.crawl_delay_ms) : ""),
    clock(r.fetched_at), clock(r.next_fetch_at),
  ],
};

// An unchanged row keeps its element, and with it a selection.
function table(name, rows) {
  const section = $(name), body = section.querySelector("tbody");
  const heads = [...section.querySelectorAll("th")];
  const before = new Map([...body.rows].map((row) => [row.dataset.is, row]));
  section.classList.toggle("empty", rows.length === 0);
  body.replaceChildren(...rows.map((data) => {
    const is = JSON.stringify(data);
    if (before.has(is)) return before.get(is);
    const row = element("tr", "", ...cells[name](data).map((inside, i) => {
      const cell = element("td", heads[i].className, inside);
      cell.dataset.label = heads[i].textContent;
      return cell;
    }));
    row.dataset.is = is;
    return row;
  }));
}

const hovers = matchMedia("(hover: hover)");
const held = (section) => section.matches(":focus-within") || (hovers.matches && section.querySelector(".table").matches(":hover"));

const list = (id, counts, name) => $(id).replaceChildren(...counts.map((c) => element("li", "", name(c), " ", element("b", "", number(c.count)))));

const bars = [];
function chart(rates) {
  const top = Math.max(1, ...rates);
  while (bars.length < 120) {
    const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    bar.setAttribute("width", "5");
    bar.setAttribute("x", String(bars.length * 6));
    bars.push(bar);
    $("bars").append(bar);
  }
  bars.forEach((bar, i) => {
    const height = 92 * ((rates[i - 120 + rates.length] ?? 0) / top);
    bar.setAttribute("y", String(110 - height));
    bar.setAttribute("height", String(height));
  });
  $("chart-top").textContent = top + " per second";
  $("chart-says").textContent = "last two minutes: " + (rates.at(-1) ?? 0) + " now, " + top + " at most";
}

const states = {
  beginning: "not started", running: "running", waiting: "waiting for the next host", pausing: "pausing: requests in flight are finishing",
  paused: "paused", stopping: "stopping: requests in flight are finishing", ended: "ended", lost: "no connection, retrying",
};
const ends = {
  finished: "finished", "max-pages": "ended: page limit reached", "max-bytes": "ended: size limit reached",
  "max-time": "ended: time limit reached", deferred: "ended: the remaining hosts cannot be requested yet", interrupted: "stopped", stopped: "stopped", failed: "failed",
};
function state(now) {
  const is = lost && !over ? "lost" : now?.state ?? "beginning";
  const says = is === "ended" ? ends[now.end] ?? "ended" : states[is] ?? is;
  const e = $("state");
  if (e.textContent !== says) e.textContent = says; // screen readers announce changes
  e.className = "state " + (is === "ended" ? now.end : is);
  const can = ["running", "waiting", "pausing", "paused"].includes(is);
  const resume = is === "pausing" || is === "paused";
  $("pause").disabled = $("stop").disabled = !can;
  $("pause").hidden = $("stop").hidden = is === "ended";
  if (is === "ended") $("confirm").close();
  $("pause").textContent = resume ? "Resume" : "Pause";
  $("pause").dataset.path = resume ? "/resume" : "/pause";
}

function numbers(now) {
  state(now);
  const write = (id, text) => { $(id).textContent = text; };
  write("duration", now.state === "beginning" ? "" : duration(now.duration_ms));
  write("eta", now.eta_ms ? duration(now.eta_ms) + " remaining at this rate" : now.due_in_ms ? "next request in " + duration(now.due_in_ms) : "");
  write("pages-count", number(now.pages));
  write("rate", String(now.rate));
  write("bytes", size(now.bytes));
  write("remaining-count", number(now.remaining));
  write("known", number(now.known));
  write("scheduled", number(now.scheduled));
  write("in-flight-count", number(now.in_flight));
  write("hosts-count", some(now.hosts, "host"));
  write("waiting", now.waiting ? "; " + number(now.waiting) + " with an unreachable robots.txt" : "");
  write("rejected-count", number(now.rejected));
  write("errors-count", number(now.errors));
  write("robots-count", number(now.robots));
  write("sitemaps-count", number(now.sitemaps));
  write("entries", number(now.entries));
  write("checks", now.checks ? " Checked: " + some(now.checks, "URL") + ", " + number(now.broken) + " broken." : "");
  const isError = (c) => c.name >= 400 || c.name === "failed" || c.name === "invalid-url";
  const called = (c) => (c.name >= 0 ? "status " + c.name : c.name);
  list("statuses", now.statuses.filter((c) => !isError(c)), called);
  list("reasons", now.reasons, called);
  list("error-kinds", [...now.statuses, ...now.reasons].filter(isError), called);
  chart(now.chart);
}

function draw() {
  for (const name in latest) {
    if (latest[name] === drawn[name]) continue;
    if (name === "status") numbers(JSON.parse(latest.status));
    else if (held($(name)) && !over) continue;
    else table(name, JSON.parse(latest[name]));
    drawn[name] = latest[name];
  }
}

function connect() {
  if (over || stream || document.hidden) return;
  stream = new EventSource("/events");
  for (const name of ["status", "hosts", "pages", "rejections", "errors", "robots"]) {
    stream.addEventListener(name, (event) => {
      latest[name] = event.data;
      if (name === "status") {
        lost = false;
        drawn.status = undefined;
      }
      draw();
    });
  }
  stream.addEventListener("ended", () => {
    over = true;
    disconnect();
    draw();
  });
  stream.addEventListener("error", () => {
    lost = true;
    state(latest.status && JSON.parse(latest.status));
    if (stream?.readyState !== EventSource.CLOSED) return; // the browser reconnects by itself
    disconnect();
    setTimeout(connect, 5000);
  });
}
function disconnect() {
  stream?.close();
  stream = undefined;
}

async function command(path) {
  const message = $("message");
  message.hidden = true;
  try {
    const change = document.querySelector("meta[name=change]");
    const response = await fetch(path, { method: "POST", headers: { [change.dataset.header]: change.content } });
    if (!response.ok) throw new Error(await response.text());
  } catch (err) {
    message.textContent = "The command failed: " + err.message;
    message.hidden = false;
  }
}

$("pause").addEventListener("click", (event) => command(event.target.dataset.path));
$("stop").addEventListener("click", () => $("confirm").showModal());
$("confirm").addEventListener("close", () => {
  if ($("confirm").returnValue === "stop") command("/stop");
  $("confirm").returnValue = "";
});
// A hidden page makes no requests.
document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect()));
for (const name in cells) table(name, []);
connect();
