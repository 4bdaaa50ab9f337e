// Sorts and filters tables, and folds long ones. The page works without it.
"use strict";
const first = 25; // rows that a long table shows
for (const table of document.querySelectorAll("table.data")) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  if (rows.length < 2) continue;

  const heads = [...table.tHead.rows[0].cells];
  const words = new Intl.Collator("en", { numeric: true });
  const value = (row, i) => row.cells[i].dataset.v ?? row.cells[i].textContent.trim();
  const compare = (a, b) => (a !== "" && b !== "" && !isNaN(a) && !isNaN(b) ? a - b : words.compare(a, b));

  const tools = document.createElement("div");
  tools.className = "tools";
  table.closest(".table").before(tools);

  const select = document.createElement("select");
  select.setAttribute("aria-label", "Sort by");
  select.add(new Option("original order", ""));

  let sorted = rows;
  let whole = rows.length <= 2 * first;
  const all = document.createElement("button");
  all.type = "button";
  all.className = "all";
  all.textContent = "show all " + rows.length + " rows";
  all.addEventListener("click", () => { whole = true; fold(); });
  table.closest(".table").after(all);
  const fold = () => { // of the rows that match the filter
    let matches = 0;
    for (const row of sorted) row.classList.toggle("folded", !row.hidden && ++matches > first && !whole);
    all.hidden = whole || matches <= first;
  };

  const sort = (i, down) => {
    heads.forEach((head, j) => {
      if (j === i) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    sorted = i < 0 ? rows : rows.toSorted((a, b) => (down ? -1 : 1) * compare(value(a, i), value(b, i)));
    body.append(...sorted);
    fold();
    select.value = i < 0 ? "" : i + (down ? "-" : "+");
  };

  heads.forEach((head, i) => {
    const number = head.classList.contains("n");
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      sort(i, now ? now === "ascending" : number);
    });
    select.add(new Option(head.textContent + " ↑", i + "+"));
    select.add(new Option(head.textContent + " ↓", i + "-"));
  });
  select.addEventListener("change", () =>
    select.value === "" ? sort(-1, false) : sort(parseInt(select.value), select.value.endsWith("-")));

  const input = document.createElement("input");
  input.type = "search";
  input.hidden = rows.length < 5;
  input.placeholder = "filter " + rows.length + " rows";
  input.setAttribute("aria-label", "Filter the rows of this table");
  const status = document.createElement("span");
  status.setAttribute("role", "status");
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let matches = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !wanted.every((word) => text.includes(word));
      if (!row.hidden) matches++;
    }
    status.textContent = wanted.length ? matches + " of " + rows.length : "";
    fold();
  });
  tools.append(input, select, status);
  fold();
}
