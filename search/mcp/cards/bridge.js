"use strict";
// The conversation with the host: JSON-RPC 2.0 over postMessage, as MCP Apps 2026-01-26 has it.

const PROTOCOL = "2026-01-26";
const METHOD_NOT_FOUND = -32601;
const waiting = new Map();
const listeners = new Map();
let lastId = 0;
let lastSize = "";

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value) => (Array.isArray(value) ? value : []);
const objectOf = (value) => (isObject(value) ? value : {});

function post(message) {
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

/** The result of a request to the host; throws an Error with what the host says. */
function request(method, params) {
  const id = ++lastId;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    post({ id, method, params });
  });
}

/** The result of a tool, a refusal included. */
async function callTool(name, args) {
  return objectOf(await request("tools/call", { name, arguments: args }));
}

function settle(message) {
  const promise = waiting.get(message.id);
  waiting.delete(message.id);
  if (!promise) return;
  if ("result" in message) promise.resolve(message.result);
  else promise.reject(new Error(String(objectOf(message.error).message || "The client gave no answer.")));
}

function reply({ id, method }) {
  const known = method === "ping" || method === "ui/resource-teardown";
  post(known ? { id, result: {} } : { id, error: { code: METHOD_NOT_FOUND, message: "A card does not do this." } });
}

window.addEventListener("message", ({ source, data }) => {
  if (source !== window.parent || !isObject(data) || data.jsonrpc !== "2.0") return;
  if (typeof data.method !== "string") settle(data);
  else if ("id" in data) reply(data);
  else listeners.get(data.method)?.(objectOf(data.params));
});

/** The host's theme, and of its variables those that can fetch nothing. */
function dress(context) {
  const root = document.documentElement;
  if (["light", "dark"].includes(context.theme)) root.style.colorScheme = context.theme;
  for (const [name, value] of Object.entries(objectOf(objectOf(context.styles).variables))) {
    const harmless = /^--(color|font|border)-[a-z0-9-]+$/.test(name) && !/url|image/i.test(value);
    if (typeof value === "string" && harmless) root.style.setProperty(name, value);
  }
}

function tellSize() {
  const { width, height } = document.documentElement.getBoundingClientRect();
  const params = { width: Math.ceil(width), height: Math.ceil(height) };
  if (JSON.stringify(params) === lastSize) return;
  lastSize = JSON.stringify(params);
  post({ method: "ui/notifications/size-changed", params });
}

/** Greets the host, then has these functions hear its notifications by what follows `ui/notifications/`. */
async function connect(name, heard) {
  listeners.set("ui/notifications/host-context-changed", dress);
  for (const [event, hear] of Object.entries(heard)) listeners.set(`ui/notifications/${event}`, hear);
  const greeting = { appInfo: { name, version: "1" }, appCapabilities: { availableDisplayModes: ["inline"] } };
  // A host that refuses the greeting may still send results.
  const answer = await request("ui/initialize", { ...greeting, protocolVersion: PROTOCOL }).catch(() => ({}));
  dress(objectOf(objectOf(answer).hostContext));
  post({ method: "ui/notifications/initialized", params: {} });
  new ResizeObserver(tellSize).observe(document.documentElement);
}
