// Shows one topic at a time, and the page of a URL, as the address says. Without the script, the page
// shows all topics and the first rows of each table.
const address = () => {
  const [id, query] = location.hash.slice(1).split(/\?(.*)/s);
  return { id, parameters: new URLSearchParams(query ?? "") };
};
const navigate = (id, parameters, state, replace) => {
  const query = parameters.toString(), hash = "#" + id + (query && "?" + query);
  if (replace) history.replaceState(state, "", hash);
  else history.pushState(state, "", hash);
  show();
};
const panelWanted = () => Boolean(history.state?.columns || address().parameters.get("url"));
const enterPanel = (state) => {
  const { id, parameters } = address();
  if (state.url) parameters.set("url", state.url);
  else parameters.delete("url");
  navigate(id, parameters, { ...state, depth: panelWanted() ? (history.state?.depth ?? 0) + 1 : 0 });
};
const leavePanel = () => {
  const { id, parameters } = address();
  parameters.delete("url");
  navigate(id, parameters, null);
};

const shownTables = new Map(); // by id
const showTables = () => {
  for (const t of data.tables) {
    const place = document.querySelector('[data-table="' + t.id + '"]'), label = visible(t.title);
    if (!place) continue;
    const change = (parameters, typing) => navigate(t.id, parameters, null, typing);
    const shown = table(t.id, label, t.served ? server(t) : memory(t), t.id === "urls" ? change : undefined);
    shownTables.set(t.id, shown);
    if (t.id !== "directories") place.replaceChildren(...shown.elements);
    else place.replaceChildren(tree(label, t), element("details", {}, element("summary", {}, "All directories as a list"), ...shown.elements));
  }
};

const topics = [...document.querySelectorAll("main > section")];
let current = {}; // what is shown
const show = () => {
  const { id, parameters } = address(), url = parameters.get("url") ?? "";
  parameters.delete("url");
  const target = document.getElementById(id), topic = target?.closest("main > section") ?? topics[0];
  for (const t of topics) t.hidden = t !== topic;
  for (const a of document.querySelectorAll(".topics a")) a.ariaCurrent = a.hash === "#" + topic.id ? "page" : null;
  if (target?.tagName === "DETAILS") target.open = true;
  if (id !== current.id) {
    if (target && target !== topic) target.scrollIntoView();
    else scrollTo(0, Math.min(scrollY, document.querySelector(".topics").offsetTop));
  }
  if (topic.id === "urls" && String(parameters) !== current.query) {
    shownTables.get("urls")?.apply(parameters);
    current.query = String(parameters);
  }
  current.id = id;
  if (!data) return;
  if (panelWanted()) showPanel({ ...history.state, url });
  else hidePanel();
};
addEventListener("popstate", show);

// Prints the topic with all of its rows, or only the page of a URL if it is open.
let opened = [];
const shownPart = () => (panel.open ? panel : document.querySelector("main > section:not([hidden])"));
const drawAll = () => {
  for (const scroller of shownPart().querySelectorAll(".scroller")) scroller.dispatchEvent(new Event("scroll"));
};
addEventListener("beforeprint", () => {
  printing = true;
  opened = [...shownPart().querySelectorAll("details:not([open])")];
  for (const details of opened) details.open = true;
  drawAll();
});
addEventListener("afterprint", () => {
  printing = false;
  drawAll();
  for (const details of opened) details.open = false;
});

show();
block("data").json().then((read) => {
  data = read;
  showTables();
  current = {};
  show();
});
