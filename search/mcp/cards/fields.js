"use strict";
// A small form for a tool’s arguments, made from its input schema. What is no simple value is given as JSON.

/** The schema of one argument as far as a field needs it: a local reference followed, and `null` left out of its type. */
function settled(schema, root) {
  const name = typeof schema.$ref === "string" ? schema.$ref.replace(/^#\/\$defs\//, "") : "";
  const found = Object.hasOwn(objectOf(root.$defs), name) ? objectOf(root.$defs[name]) : schema;
  const types = listOf(found.type).filter((type) => type !== "null");
  return types.length === 1 ? { ...found, type: types[0] } : found;
}

function choicesOf(schema) {
  if ("const" in schema) return [schema.const];
  if (Array.isArray(schema.enum)) return schema.enum;
  return schema.type === "boolean" ? [true, false] : null;
}

const worded = (value) => (value === true ? "Yes" : value === false ? "No" : plain(value, 100));

function chooser(choices, schema, attributes) {
  const options = choices.map((choice, index) => element("option", { value: index }, worded(choice)));
  const control = element("select", attributes, element("option", { value: "" }, "Choose…"), ...options);
  const preset = choices.length === 1 && "const" in schema ? 0 : choices.indexOf(schema.default);
  control.value = preset < 0 ? "" : String(preset);
  return { control, read: () => choices[Number(control.value)] };
}

function numeric(schema, attributes) {
  const step = schema.type === "integer" ? 1 : "any";
  const control = element("input", { type: "number", step, ...attributes });
  const read = () => {
    const number = Number(control.value);
    if (schema.type === "integer" && !Number.isSafeInteger(number)) throw new Error("Give a whole number.");
    return number;
  };
  return { control, read };
}

function asJson(attributes) {
  const control = element("textarea", { rows: 3, spellcheck: "false", ...attributes });
  const read = () => {
    try {
      return JSON.parse(control.value);
    } catch {
      throw new Error("This is not JSON.");
    }
  };
  return { control, read };
}

function controlFor(schema, attributes) {
  const choices = choicesOf(schema);
  if (choices) return chooser(choices, schema, attributes);
  if (schema.type === "integer" || schema.type === "number") return numeric(schema, attributes);
  if (schema.type !== "string") return asJson(attributes);
  const control = element("input", { type: "text", autocomplete: "off", ...attributes });
  return { control, read: () => control.value };
}

/** One argument: its node, and `read`, which gives `[name, value]`, or null where nothing was given. */
function field(name, given, root, required, called = name) {
  const schema = settled(objectOf(given), root);
  const id = newId();
  const described = `${id}d ${id}w`;
  const attributes = { id, "aria-describedby": described, "aria-required": required ? "true" : null };
  const { control, read } = controlFor(schema, attributes);
  if (["string", "number"].includes(typeof schema.default) && control.tagName === "INPUT") control.value = schema.default;
  const kind = control.tagName === "TEXTAREA" ? " (JSON)" : "";
  const label = foreign("label", `${plain(called, 80)}${kind}`, { for: id });
  const hint = foreign("p", schema.description ?? "", { class: "quiet", id: `${id}d` }, 200);
  const complaint = element("p", { class: "wrong", id: `${id}w` });
  const node = element("div", {}, label, control, hint, complaint);
  return { node, read: () => readField(name, required, control, complaint, read) };
}

/** Throws where what was given does not do, once it has been said beside the field. */
function readField(name, required, control, complaint, read) {
  complaint.textContent = "";
  control.removeAttribute("aria-invalid");
  try {
    if (control.validity.badInput) throw new Error("Give a number.");
    if (control.value !== "") return [name, read()];
    if (required && !(control.tagName === "INPUT" && control.type === "text")) throw new Error("This is needed.");
    return required ? [name, ""] : null;
  } catch (error) {
    complaint.textContent = error.message;
    control.setAttribute("aria-invalid", "true");
    control.focus();
    announce(`${plain(name, 80)}: ${error.message}`);
    throw error;
  }
}

/** A form for a row of search results: its node, and `read`, which gives the arguments or throws. */
function argumentForm(row) {
  const schema = objectOf(row.input_schema);
  const properties = Object.entries(objectOf(schema.properties));
  const required = new Set(listOf(schema.required));
  const account = listOf(row.connections).length ? listOf(schema.required)[0] : null;
  const made = properties.map(([name, part]) => {
    const needed = required.has(name);
    const choice = { type: "string", enum: row.connections, description: "Which account to use." };
    return { needed, ...(name === account ? field(name, choice, {}, needed, "Account") : field(name, part, schema, needed)) };
  });
  const needed = made.filter((one) => one.needed).map((one) => one.node);
  const optional = made.filter((one) => !one.needed).map((one) => one.node);
  const node = element("div", { class: "fields" }, ...needed, optional.length ? details("Optional", ...optional) : null);
  return { node, read: () => Object.fromEntries(made.map((one) => one.read()).filter((pair) => pair !== null)) };
}
