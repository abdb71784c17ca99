"use strict";
// The card of `execute_tool`: its result, or why it was refused and what would help.

const main = document.querySelector("main");
let called = {};

function head() {
  const name = typeof called.name === "string" ? called.name : "Result";
  const sent = Object.keys(objectOf(called.arguments)).length ? details("What was sent", tidy(called.arguments)) : null;
  return [foreign("h1", name, {}, 200), sent].filter((part) => part !== null);
}

/** Where the arguments are not known, a call can be shown, not run again. */
function show(result) {
  const place = element("div", { class: "outcome" });
  const rerun = (args, pressed) =>
    busy(pressed, place, async () => {
      const again = await callTool(RUN, { name: called.name, arguments: args });
      called = { ...called, arguments: args };
      show(again);
      main.querySelector("h1").focus();
    });
  const came = outcome(result, objectOf(called.arguments), typeof called.name === "string" ? rerun : null);
  place.append(came.node);
  main.replaceChildren(...head(), place);
  main.querySelector("h1").tabIndex = -1;
  announce(came.summary);
}

connect("elaichi call", {
  "tool-input": (params) => {
    called = objectOf(params.arguments);
    main.replaceChildren(...head(), element("p", { class: "quiet" }, "Running…"));
  },
  "tool-result": show,
  "tool-cancelled": () => main.replaceChildren(...head(), element("p", {}, "The call was cancelled.")),
});
