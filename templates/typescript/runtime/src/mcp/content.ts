/** What the model is told of the tools of MCP servers and of their results. */

import { isDeepStrictEqual } from "node:util";

import { shortHash } from "../environment.ts";
import { isObject, type JsonObject } from "../json.ts";

/** A tool of a server, in a form that every model accepts. */
export interface ServerTool {
  /** The name that the server gave it. */
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
}

/** Bounds a tool's description, in characters; what a model can make use of is far shorter. */
const maxDescription = 4096;

/**
 * Returns the tools of one server, sorted by name. Left out are those without a name, with one that was there before, or with a
 * schema that cannot be repaired.
 */
export function readTools(tools: readonly unknown[]): { tools: ServerTool[]; leftOut: string[] } {
  const found = new Map<string, ServerTool>();
  const leftOut: string[] = [];
  for (const tool of tools) {
    const { name, title, description, inputSchema, annotations } = isObject(tool) ? tool : {};
    const schema = repairSchema(inputSchema);
    const text = asText(description) || asText(title) || asText(isObject(annotations) ? annotations["title"] : "");
    if (typeof name === "string" && name !== "" && !found.has(name) && schema !== undefined) {
      found.set(name, { name, description: clean(text), schema });
    } else leftOut.push(clean(asText(name)).slice(0, 100));
  }
  return { tools: [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), leftOut };
}

/** Removes characters that are not seen or change the order of others, and cuts what is too long. */
function clean(text: string): string {
  const seen = text.toWellFormed().replace(/[^\P{C}\n\t]/gu, "");
  return seen.length > maxDescription ? `${seen.slice(0, maxDescription).toWellFormed()} [cut]` : seen;
}

const types = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** The keywords whose value is a schema, a list of schemas, or schemas by name. */
const single = ["items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames"];
const lists = ["anyOf", "oneOf", "allOf", "prefixItems"];
const maps = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/** Drafts before 6 write a flag beside the bound. */
const bounds: Readonly<Record<string, string>> = { exclusiveMinimum: "minimum", exclusiveMaximum: "maximum" };

/** What providers refuse at the root; the server checks its arguments itself. */
const notAtRoot = ["$schema", "$ref", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "enum", "const"];

/**
 * Returns the schema of a tool's arguments as one that every model accepts: what has one meaning is repaired, and constraints at
 * the root that providers refuse are loosened. Undefined when it has no one meaning.
 */
export function repairSchema(schema: unknown): JsonObject | undefined {
  const given = schema === undefined || schema === null || schema === true ? {} : schema;
  if (!isObject(given)) return undefined;
  try {
    const root = repair(given, given, 0);
    const parts = [root, resolve(root, root["$ref"]), ...list(root["allOf"])];
    const choices = ["anyOf", "oneOf"].map((key) => list(root[key]));
    const properties = Object.assign({}, ...parts.map((part) => part["properties"])) as JsonObject;
    for (const choice of choices) Object.assign(properties, eitherOf(choice));
    const required = new Set([...parts, ...choices.map(inAll)].flatMap((part) => list<string>(part["required"])));
    const kept = Object.entries(root).filter(([key]) => !notAtRoot.includes(key));
    const whole: JsonObject = { ...Object.fromEntries(kept), type: "object", properties };
    if (required.size > 0) whole["required"] = [...required];
    return describeRequired(whole);
  } catch (error) {
    if (error instanceof Ambiguous) return undefined;
    throw error;
  }
}

/** Returns the properties of alternatives; one that differs between them may be either. */
function eitherOf(choice: readonly JsonObject[]): JsonObject {
  const found: Record<string, unknown[]> = {};
  for (const [name, one] of choice.flatMap((part) => Object.entries(part["properties"] ?? {}))) {
    const known = (found[name] ??= []);
    if (!known.some((other) => isDeepStrictEqual(other, one))) known.push(one);
  }
  const merged = Object.entries(found).map(([name, all]) => [name, all.length === 1 ? all[0] : { anyOf: all }]);
  return Object.fromEntries(merged) as JsonObject;
}

/** Returns what all alternatives require. */
function inAll(choice: readonly JsonObject[]): JsonObject {
  const [first, ...others] = choice.map((part) => list<string>(part["required"]));
  return { required: first?.filter((name) => others.every((other) => other.includes(name))) };
}

/** Adds the properties that are required and not described. */
function describeRequired(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (isObject(properties)) for (const name of list<string>(required)) properties[name] ??= {};
  return schema;
}

/** A schema that has no one meaning. */
class Ambiguous extends Error {}

function repair(value: unknown, root: JsonObject, depth: number): JsonObject {
  if (value === null || value === true) return {};
  if (!isObject(value) || depth > 64) throw new Ambiguous();
  const result: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (key === "default" || key === "const") result[key] = member;
    else if (key === "properties" && Array.isArray(member) && member.length === 0) result[key] = {};
    else if (key === "items" && Array.isArray(member)) {
      result["prefixItems"] = member.map((one) => repair(one, root, depth + 1)); // as drafts before 2020 write them
    } else if (typeof member === "boolean" && key in bounds) {
      if (member) result[key] = value[bounds[key] ?? ""];
    } else if (Object.keys(bounds).some((flag) => bounds[flag] === key && value[flag] === true)) continue;
    else if (member === null && key !== "items") continue;
    else if (single.includes(key)) result[key] = member === false ? false : repair(member, root, depth + 1);
    else if (lists.includes(key)) {
      result[key] = strict(member, Array.isArray).map((one) => repair(one, root, depth + 1));
    } else if (maps.includes(key)) {
      const entries = Object.entries(strict(member, isObject)).filter(([, one]) => one !== false);
      result[key] = Object.fromEntries(entries.map(([name, one]) => [name, repair(one, root, depth + 1)]));
    } else result[key] = key === "description" || key === "title" ? clean(String(member)) : member;
  }
  const kinds = depth > 0 ? [result["type"]].flat() : [];
  if (kinds.includes("array")) result["items"] ??= {};
  if (kinds.includes("object")) result["properties"] ??= {};
  check(result, root, depth);
  return describeRequired(result);
}

/** Refuses what providers would: keywords with a value of a kind that they do not know. */
function check(schema: JsonObject, root: JsonObject, depth: number): void {
  const { type, required = [], enum: values = [], $ref: reference } = schema;
  const known = depth === 0 || type === undefined || [type].flat().every((one) => types.has(one as string));
  if (!known || !strict(required, Array.isArray).every((one) => typeof one === "string")) throw new Ambiguous();
  strict(values, Array.isArray);
  resolve(root, reference);
}

function strict<T>(value: unknown, is: (value: unknown) => value is T): T {
  if (!is(value)) throw new Ambiguous();
  return value;
}

/** Returns what a reference such as `#/$defs/name` points to; an empty schema for none. */
function resolve(root: JsonObject, reference: unknown): JsonObject {
  if (reference === undefined) return {};
  if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) throw new Ambiguous();
  let found: unknown = root;
  for (const step of reference.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return strict(found, isObject);
}

function list<T = JsonObject>(value: unknown): T[] {
  return Array.isArray(value) ? (value as T[]) : [];
}

/** The longest name of a tool that models accept. */
const maxName = 64;

/**
 * Gives each tool its name for the model: `<server>__<tool>` where that is legal, no other server and tool can have it, and
 * nobody has it yet, else one with a hash. The same tools get the same names, whatever their order.
 */
export function nameTools<T extends { server: string; tool: { name: string } }>(
  entries: readonly T[],
  reserved: ReadonlySet<string>,
): Map<string, T> {
  const named = new Map<string, T>();
  const rest: T[] = [];
  for (const entry of entries) {
    const name = `${entry.server}__${entry.tool.name}`;
    const ambiguous = entry.server.includes("__") || entry.server.endsWith("_");
    const legal = name.length <= maxName && /^[A-Za-z][A-Za-z0-9_-]*$/.test(name);
    if (legal && !ambiguous && !reserved.has(name)) named.set(name, entry);
    else rest.push(entry);
  }
  for (const entry of rest) {
    let salt = "";
    let name = hashedName(entry.server, entry.tool.name, salt);
    while (named.has(name) || reserved.has(name)) name = hashedName(entry.server, entry.tool.name, (salt += "\0"));
    named.set(name, entry);
  }
  return named;
}

/** Returns a legal name that says as much as there is room for, and is made unique by a hash. */
function hashedName(server: string, tool: string, salt: string): string {
  const suffix = `_${shortHash(`${server}\0${tool}${salt}`)}`;
  const words = `${server}__${tool}`.replace(/[^A-Za-z0-9_-]/gu, "_");
  const name = /^[A-Za-z]/.test(words) ? words : `mcp_${words}`;
  return name.slice(0, maxName - suffix.length).replace(/_+$/, "") + suffix;
}

/** From this length on a string in structured content that is base64 counts as data. */
const shortestEncoded = 256;

/**
 * Puts the result of a tool into text. Images, audio and blobs are described: their bytes would mean nothing to the model and
 * fill its context.
 */
export function renderResult({ content, structuredContent: structured }: JsonObject): string {
  const blocks = (Array.isArray(content) ? content : []).filter((block) => !repeats(block, structured));
  const parts = blocks.map(renderBlock).filter((part) => part !== "");
  if (structured !== undefined && structured !== null) parts.push(JSON.stringify(withoutData(structured)));
  return parts.length === 0 ? "(the tool returned no content)" : parts.join("\n\n");
}

function renderBlock(block: unknown): string {
  if (!isObject(block)) return "[content that is not an object]";
  const { type, resource, mimeType, data, uri } = block;
  if (type === "text") return asText(block["text"]);
  if (type === "image" || type === "audio") return `[${type}: ${dataFacts(mimeType, data)}]`;
  if (type === "resource") return isObject(resource) ? renderResource(resource) : "";
  if (type !== "resource_link") return `[content of type ${JSON.stringify(type)}, which cannot be shown]`;
  const facts = ["name", "title", "description", "mimeType"].map((field) => asText(block[field]));
  const size = typeof block["size"] === "number" ? `${block["size"]} bytes` : "";
  return `[link: ${[shortUri(asText(uri)), ...facts, size].filter((fact) => fact !== "").join(", ")}]`;
}

function renderResource(resource: JsonObject): string {
  const uri = shortUri(asText(resource["uri"]));
  if (resource["blob"] !== undefined) return `[resource: ${uri}, ${dataFacts(resource["mimeType"], resource["blob"])}]`;
  return `[resource: ${uri}]\n${asText(resource["text"])}`;
}

function dataFacts(mimeType: unknown, base64: unknown): string {
  return `${asText(mimeType) || "unknown type"}, ${Buffer.byteLength(asText(base64), "base64")} bytes, not shown`;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Leaves out the content of a URI that holds it. */
function shortUri(uri: string): string {
  return uri.replace(/^(data:[^,]*),(.*)$/is, (_, head: string, data: string) => {
    return `${head} (${data.length} characters, not shown)`;
  });
}

/**
 * Tells whether the content is a text that says the same as the structured content, as the protocol recommends. The latter is
 * shown then, since data can be told from text in it.
 */
function repeats(block: unknown, structured: unknown): boolean {
  if (!isObject(block) || block["type"] !== "text" || !isObject(structured)) return false;
  try {
    return isDeepStrictEqual(JSON.parse(asText(block["text"])), structured);
  } catch {
    return false;
  }
}

/** Returns the JSON value with a note in place of each string that is base64 data. */
function withoutData(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutData);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutData(one)]));
  const isData = typeof value === "string" && value.length >= shortestEncoded && /^[\w+/-]+={0,2}$/.test(value);
  if (isData) return `[${dataFacts("base64 data", value)}]`;
  return typeof value === "string" ? shortUri(value) : value;
}
