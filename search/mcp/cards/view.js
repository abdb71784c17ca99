"use strict";
// What both cards are made of. Whatever comes from outside becomes text, never markup.

const MOST_ITEMS = 12;
const MOST_TEXT = 600;
const MOST_JSON = 4000;
// What would reorder or hide the text around it: control characters, and overrides of the direction.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]/g;
let lastElement = 0;

const newId = () => `e${++lastElement}`;

/** A value as text that can be shown: a string as it is, anything else as JSON. */
function plain(value, most = MOST_TEXT) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 1) ?? "";
  const seen = text.replace(UNSEEN, "");
  return seen.length > most ? `${seen.slice(0, most)}…` : seen;
}

/** An element; `on…` attributes are listeners, and what is null or false is left out. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** Text from outside, in its own direction. */
const foreign = (tag, value, attributes = {}, most = MOST_TEXT) =>
  element(tag, { dir: "auto", ...attributes }, plain(value, most));

const button = (label, onclick, attributes = {}) => element("button", { type: "button", onclick, ...attributes }, label);

/** Tells a screen reader, and nobody else. */
function announce(text) {
  document.getElementById("announced").textContent = plain(text);
}

/** Has a button do one thing at a time; what the host refuses is said in `place`, which gets a lost focus. */
async function busy(pressed, place, work) {
  if (pressed.getAttribute("aria-disabled") === "true") return;
  pressed.setAttribute("aria-disabled", "true");
  place.setAttribute("aria-busy", "true");
  try {
    await work();
  } catch (error) {
    place.replaceChildren(notice("The client did not do this", error.message));
    announce(`The client did not do this. ${error.message}`);
  }
  place.removeAttribute("aria-busy");
  pressed.removeAttribute("aria-disabled");
  if (pressed.isConnected) return;
  place.tabIndex = -1;
  place.focus();
}

function notice(title, text, ...more) {
  return element("div", { class: "notice" }, element("strong", {}, title), foreign("p", text), ...more);
}

function details(title, ...children) {
  return element("details", {}, element("summary", {}, title), ...children);
}

const json = (value) => foreign("pre", JSON.stringify(value, null, 2), {}, MOST_JSON);

/** A JSON value as keys and values, four levels deep. */
function tidy(value, depth = 0) {
  if (typeof value !== "object" || value === null) return foreign("span", value === null ? "–" : value);
  const entries = Object.entries(value);
  if (!entries.length) return element("span", { class: "quiet" }, "none");
  if (depth > 3) return json(value);
  const shown = entries.slice(0, MOST_ITEMS);
  const rest = entries.length - shown.length;
  const more = rest ? element("p", { class: "quiet" }, `and ${rest} more`) : null;
  if (Array.isArray(value)) {
    const items = shown.map(([, item]) => element("li", {}, tidy(item, depth + 1)));
    return element("div", {}, element("ol", {}, ...items), more);
  }
  const rows = shown.map(([key, item]) => [foreign("dt", key, {}, 80), element("dd", {}, tidy(item, depth + 1))]);
  return element("div", {}, element("dl", {}, ...rows.flat()), more);
}

/** What a result holds beside its text, in words: a card may not load it. */
function besides(result) {
  const kinds = listOf(result.content).map(objectOf).filter((block) => block.type !== "text");
  if (!kinds.length) return null;
  const named = kinds.map((block) => block.mimeType ?? block.type).slice(0, MOST_ITEMS);
  return foreign("p", `With it came, not shown here: ${named.join(", ")}`, { class: "quiet" });
}

/** A result that is no refusal: its structured content, or else its texts. */
function resultView(result) {
  const content = result.structuredContent;
  if (isObject(content)) return element("div", {}, tidy(content), besides(result), details("As JSON", json(content)));
  const texts = listOf(result.content).map((block) => objectOf(block).text).filter((text) => typeof text === "string");
  return element("div", {}, ...texts.map((text) => foreign("p", text, {}, MOST_JSON)), besides(result));
}
