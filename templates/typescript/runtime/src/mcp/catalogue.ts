/** What the model is told of the tools of MCP servers. */

import { isObject, type JsonObject } from "../json.ts";
import { shortHash } from "./config.ts";

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
    if (typeof name !== "string" || name === "" || found.has(name) || schema === undefined) {
      leftOut.push(typeof name === "string" ? clean(name).slice(0, 100) : "");
      continue;
    }
    const texts = [description, title, isObject(annotations) ? annotations["title"] : undefined];
    const text = texts.find((one): one is string => typeof one === "string" && one !== "") ?? "";
    found.set(name, { name, description: clean(text), schema });
  }
  const sorted = [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { tools: sorted, leftOut };
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
    const target = resolve(root, root["$ref"]);
    const parts = [root, target, ...branches(root, "anyOf"), ...branches(root, "oneOf"), ...branches(root, "allOf")];
    const required = [root, target, ...branches(root, "allOf")].flatMap((part) => asList(part["required"]));
    const properties = Object.assign({}, ...parts.map((part) => part["properties"])) as JsonObject;
    const kept = Object.entries(root).filter(([key]) => !notAtRoot.includes(key));
    const names = [...new Set(required)];
    return {
      ...Object.fromEntries(kept),
      type: "object",
      properties,
      ...(names.length > 0 && { required: names }),
    };
  } catch (error) {
    if (error instanceof Ambiguous) return undefined;
    throw error;
  }
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
    else if (key === "items" && Array.isArray(member)) result[key] = {};
    else if (member === null && key !== "items") continue;
    else if (single.includes(key)) result[key] = member === false ? false : repair(member, root, depth + 1);
    else if (lists.includes(key)) {
      result[key] = strict(member, Array.isArray).map((one) => repair(one, root, depth + 1));
    } else if (maps.includes(key)) {
      const entries = Object.entries(strict(member, isObject)).filter(([, one]) => one !== false);
      result[key] = Object.fromEntries(entries.map(([name, one]) => [name, repair(one, root, depth + 1)]));
    } else result[key] = key === "description" || key === "title" ? clean(String(member)) : member;
  }
  if (depth > 0 && [result["type"]].flat().includes("array")) result["items"] ??= {};
  check(result, root, depth);
  return result;
}

/** Refuses what providers would: keywords with a value of a kind that they do not know. */
function check(schema: JsonObject, root: JsonObject, depth: number): void {
  const { type, required, enum: values, $ref: reference } = schema;
  if (depth > 0 && type !== undefined && ![type].flat().every((one) => types.has(one as string))) throw new Ambiguous();
  if (required !== undefined && !strict(required, Array.isArray).every((one) => typeof one === "string")) {
    throw new Ambiguous();
  }
  if (values !== undefined) strict(values, Array.isArray);
  if (reference !== undefined) resolve(root, reference);
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

function branches(schema: JsonObject, key: string): JsonObject[] {
  return asList(schema[key]) as JsonObject[];
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
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
