// What every page needs: elements, numbers for people, the theme.
"use strict";

// A failure must be seen, by people and by the tests that open the page.
window.addEventListener("error", (event) => {
  document.documentElement.dataset.error = event.message;
  document.getElementById("page").prepend("This page could not be drawn: " + event.message);
});

// An element: element("td", {class: "bar"}, child, "text", ...). Text is never read as HTML; "on..." are listeners.
function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null) node.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) if (child !== undefined && child !== null) node.append(child);
  return node;
}

const isNumber = (value) => typeof value === "number" && isFinite(value);
const formatCount = (value) => isNumber(value) ? Math.round(value).toLocaleString("en-US") : "–";
const formatPercent = (value, digits = 1) => isNumber(value) ? (100 * value).toFixed(digits) + " %" : "–";

// A button between the light and the dark theme. The page begins with, and follows, what the reader told the browser.
function themeButton() {
  const root = document.documentElement;
  const wish = window.matchMedia("(prefers-color-scheme: dark)");
  const button = element("button", {type: "button", class: "push", onclick: () => set(root.dataset.theme !== "dark")});
  const set = (dark) => {
    root.dataset.theme = dark ? "dark" : "light";
    button.textContent = dark ? "light" : "dark";
  };
  set(wish.matches);
  wish.addEventListener("change", () => set(wish.matches));
  return button;
}
