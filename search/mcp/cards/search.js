"use strict";
// The card of `search_tools`: what was found, how to run it, and what is withheld.

const MOST_RESTRICTED = 5;
const main = document.querySelector("main");
let asked = {};

function effectOf(row) {
  const { readOnlyHint, destructiveHint } = objectOf(row.annotations);
  if (readOnlyHint === true) return "Reads";
  return destructiveHint === false ? "Writes" : "Deletes";
}

function accountsOf(row) {
  const labels = listOf(row.connections).map((label) => plain(label, 60));
  if (labels.length < 2) return labels.join("");
  return `${labels.length} accounts: ${labels.slice(0, 4).join(", ")}${labels.length > 4 ? "…" : ""}`;
}

/** Runs a tool and shows what came of it in `place`; again, where an account had to be chosen. */
function runIn(place, name, args, pressed) {
  return busy(pressed, place, async () => {
    const result = await callTool(RUN, { name, arguments: args });
    const came = outcome(result, args, (again, button) => runIn(place, name, again, button));
    place.replaceChildren(came.node);
    announce(`${name}: ${came.summary}`);
  });
}

/** The step before a tool that deletes: the way back has the focus. */
function confirmation(row, where, goOn, goBack) {
  const id = newId();
  const question = element("p", { id }, "This may delete or replace something for good", where ? " in " : "", where, ".");
  const back = button("Cancel", goBack);
  const on = button("Yes, run it", goOn, { class: "danger" });
  const onkeydown = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    goBack();
  };
  const attributes = { role: "alertdialog", "aria-label": "Confirm", "aria-describedby": id, class: "notice", onkeydown };
  return { node: element("div", attributes, question, element("div", { class: "row" }, back, on)), focus: () => back.focus() };
}

/** The panel that runs a row: its arguments, a button, and what came of it. */
function panelFor(row, close) {
  const form = argumentForm(row);
  const place = element("div", { class: "outcome" });
  const step = element("div", {});
  const withdraw = () => {
    step.replaceChildren();
    run.focus();
  };
  const perform = (args) => {
    withdraw();
    return runIn(place, row.name, args, run);
  };
  const start = () => {
    let args;
    try {
      args = form.read();
    } catch {
      return;
    }
    if (effectOf(row) !== "Deletes") return perform(args);
    const asking = confirmation(row, plain(row.connector_label ?? "", 60), () => perform(args), withdraw);
    step.replaceChildren(asking.node);
    asking.focus();
  };
  const run = button("Run", start, { class: "main", "aria-label": `Run ${plain(row.name, 100)}` });
  const onkeydown = (event) => {
    if (event.key === "Escape") close();
    if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
    // Otherwise the key would press the button that gets the focus.
    event.preventDefault();
    start();
  };
  return element("div", { class: "panel", onkeydown }, form.node, run, step, place);
}

/** One tool that can be run. A row without a schema came from a summary, and can only be read. */
function toolRow(row) {
  const effect = effectOf(row);
  const id = newId();
  const about = [row.connector_label, row.toolbox && `toolbox ${plain(row.toolbox, 60)}`, accountsOf(row)].filter(Boolean);
  const item = element(
    "li",
    { "aria-labelledby": id },
    element(
      "div",
      { class: "row" },
      foreign("h2", row.name, { id }, 200),
      row.annotations ? element("span", { class: `effect ${effect}` }, effect) : null,
    ),
    foreign("p", about.map((part) => plain(part, 200)).join(" · "), { class: "quiet" }),
    foreign("p", row.description ?? ""),
  );
  if (isObject(row.input_schema)) addPanel(item, row);
  return item;
}

function addPanel(item, row) {
  const label = `Prepare ${plain(row.name, 100)}`;
  const close = () => {
    item.querySelector(".panel")?.remove();
    toggle.setAttribute("aria-expanded", "false");
    toggle.focus();
  };
  const open = () => {
    const panel = panelFor(row, close);
    item.append(panel);
    toggle.setAttribute("aria-expanded", "true");
    panel.querySelector("input, select, textarea, button").focus();
  };
  const flip = () => (toggle.getAttribute("aria-expanded") === "true" ? close() : open());
  const toggle = button("Prepare", flip, { "aria-expanded": "false", "aria-label": label });
  item.append(toggle);
}

function restrictedRow(row) {
  const { by, scope, request_access: handedOut } = objectOf(row.restricted);
  const name = scope === "connector" ? `All of ${plain(row.connector_label ?? row.name, 60)}` : row.name;
  const whose = by === "role" ? "for your role" : "for you";
  const about = `${plain(row.connector_label ?? "", 60)} · restricted ${whose}`;
  return element("li", {}, foreign("h3", name, {}, 200), foreign("p", about, { class: "quiet" }), accessAsker(handedOut, name));
}

function restrictedPart(rows, count) {
  if (!count) return null;
  const named = rows.slice(0, MOST_RESTRICTED);
  const id = newId();
  const title = count === 1 ? "1 match is restricted for you" : `${count} matches are restricted for you`;
  const heading = element("h2", { id }, title);
  return element("section", { "aria-labelledby": id }, heading, element("ul", { class: "rows" }, ...named.map(restrictedRow)));
}

function headline(content) {
  const count = Number.isInteger(content.matched) ? content.matched : listOf(content.result).length;
  const query = typeof asked.query === "string" ? ` for “${plain(asked.query, 80)}”` : "";
  return count ? `${count} ${count === 1 ? "tool" : "tools"}${query}` : `No tool${query}`;
}

function nextPage(content, list) {
  if (typeof content.next_cursor !== "string" || typeof asked.query !== "string") return null;
  const place = element("div", {});
  const turn = async () => {
    const result = await callTool("search_tools", { ...asked, cursor: content.next_cursor });
    if (refusalOf(result)) return place.replaceChildren(outcome(result, {}, null).node);
    const next = objectOf(result.structuredContent);
    const added = rowsOf(next).callable.map(toolRow);
    list.append(...added);
    announce(`${added.length} more tools.`);
    more.replaceWith(nextPage(next, list) ?? "");
    added[0]?.querySelector("button")?.focus();
  };
  const pressed = button("Show more", () => busy(pressed, place, turn));
  const more = element("div", { class: "more" }, pressed, place);
  return more;
}

function rowsOf(content) {
  const rows = listOf(content.result).filter((row) => isObject(row) && typeof row.name === "string");
  return { callable: rows.filter((row) => !row.restricted), restricted: rows.filter((row) => row.restricted) };
}

function show(result) {
  const content = objectOf(result.structuredContent);
  if (refusalOf(result)) {
    const came = outcome(result, {}, null);
    main.replaceChildren(element("h1", {}, "The search was refused"), came.node);
    return announce(came.summary);
  }
  const { callable, restricted } = rowsOf(content);
  const count = Number.isInteger(content.restricted_count) ? content.restricted_count : restricted.length;
  const list = element("ul", { class: "rows" }, ...callable.map(toolRow));
  const title = headline(content);
  main.replaceChildren(
    ...[
      element("h1", { dir: "auto" }, title),
      content.note ? foreign("p", content.note) : null,
      callable.length ? list : null,
      nextPage(content, list),
      restrictedPart(restricted, count),
    ].filter((part) => part !== null),
  );
  announce(`${title}. ${count ? `${count} restricted for you.` : ""}`);
}

connect("elaichi search", {
  "tool-input": (params) => {
    asked = objectOf(params.arguments);
  },
  "tool-result": show,
  "tool-cancelled": () => main.replaceChildren(element("p", {}, "The search was cancelled.")),
});
