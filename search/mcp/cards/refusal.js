"use strict";
// Why a call was refused, in plain words, and what the person can do about it.

const ASK = "elaichi__access_request__create";
const RUN = "execute_tool";
const TITLES = new Map([
  ["restricted", "Restricted for you"],
  ["ambiguous_connection", "Which account?"],
  ["needs_reauth", "The account has to be connected again"],
  ["invalid_arguments", "Some arguments do not fit"],
  ["permission_required", "Your role does not permit this"],
  ["scope_required", "This client may not do this for you"],
  ["only_in_admin", "This is done in the admin"],
  ["grant_ended", "This client’s access has ended"],
  ["not_found", "Nothing there that you can reach"],
  ["conflict", "Not possible as things stand"],
  ["rate_limited", "The app asks to wait a little"],
  ["blocked_address", "The app’s address is blocked"],
  ["upstream_error", "The app answered with an error"],
  ["upstream_unreachable", "The app could not be reached"],
]);

/** The refusal that a result is, or null. A tool that only looks like one is not marked as an error. */
function refusalOf(result) {
  const error = objectOf(result.structuredContent).error;
  if (result.isError !== true) return null;
  return isObject(error) ? error : { message: listOf(result.content).map((block) => objectOf(block).text).join(" ") };
}

/** What came of a call, and a line that sums it up. `rerun` runs it again with these arguments. */
function outcome(result, args, rerun) {
  const error = refusalOf(result);
  if (!error) return { summary: "Done.", node: resultView(result) };
  const summary = TITLES.get(error.code) ?? "This could not be done";
  const node = notice(summary, error.message ?? "No reason was given.", problems(error), help(error, args, rerun));
  return { summary: `${summary}.`, node };
}

function problems(error) {
  const items = listOf(error.problems).slice(0, MOST_ITEMS).map(objectOf);
  if (!items.length) return null;
  return element("ul", {}, ...items.map((one) => foreign("li", `${one.path || "arguments"}: ${one.reason}`)));
}

function help(error, args, rerun) {
  if (error.code === "restricted") return accessAsker(error.request_access, error.tool);
  if (error.code === "ambiguous_connection" && rerun) return accountPicker(error, args, rerun);
  return null;
}

/** Asks for access, and shows the answer in the button’s place. Only ever this operation, whatever was handed out. */
function accessAsker(handedOut, name) {
  const { connector, tool } = objectOf(objectOf(handedOut).arguments);
  if (typeof connector !== "string") return null;
  const asked = { connector, ...(typeof tool === "string" ? { tool } : {}) };
  const answer = element("div", {});
  const ask = async () => {
    const result = await callTool(ASK, asked);
    const error = refusalOf(result);
    const said = error ? error.message : objectOf(result.structuredContent).next_step;
    answer.replaceChildren(foreign("p", `${error ? "Not asked." : "Asked."} ${plain(said ?? "")}`, { class: "quiet" }));
    announce(answer.textContent);
    if (!error) pressed.remove();
  };
  const label = `Ask for access to ${plain(name ?? tool ?? connector, 100)}`;
  const pressed = button("Ask for access", () => busy(pressed, answer, ask), { "aria-label": label });
  return element("div", { class: "ask" }, pressed, answer);
}

/** The accounts that a call could have meant; none is chosen beforehand, because a guess could be the wrong one. */
function accountPicker(error, args, rerun) {
  const labels = listOf(error.accounts).filter((label) => typeof label === "string");
  if (typeof error.argument !== "string" || !labels.length) return null;
  const options = labels.map((label, index) => element("option", { value: index }, plain(label, 100)));
  const id = newId();
  const choice = element("select", { id }, element("option", { value: "" }, "Choose an account"), ...options);
  const complaint = element("p", { class: "wrong", id: `${id}w` });
  const run = () => {
    complaint.textContent = choice.value ? "" : "Choose an account first.";
    if (choice.value) rerun({ ...args, [error.argument]: labels[Number(choice.value)] }, pressed);
    else choice.focus();
  };
  choice.setAttribute("aria-describedby", complaint.id);
  const pressed = button("Run with this account", run, { class: "main" });
  return element("div", { class: "fields" }, element("label", { for: id }, "Account"), choice, complaint, pressed);
}
