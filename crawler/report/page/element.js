// Makes elements. Texts of a site are always text nodes.
"use strict";
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
