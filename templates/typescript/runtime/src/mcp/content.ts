/** The results of tools in words for the model. */

import { isDeepStrictEqual } from "node:util";

import { isObject, type JsonObject } from "../json.ts";

/** From this length on a string in structured content that is base64 counts as data. */
const shortestEncoded = 256;

/**
 * Puts the result of a tool into text. Images, audio and blobs are described: their bytes would mean nothing to the model and
 * fill its context.
 */
export function renderResult(result: JsonObject): string {
  const { content, structuredContent: structured } = result;
  const parts = (Array.isArray(content) ? content : [])
    .filter((block) => !repeats(block, structured))
    .map(renderBlock)
    .filter((part) => part !== "");
  if (structured !== undefined && structured !== null) parts.push(JSON.stringify(withoutData(structured)));
  return parts.length === 0 ? "(the tool returned no content)" : parts.join("\n\n");
}

function renderBlock(block: unknown): string {
  if (!isObject(block)) return "[content that is not an object]";
  switch (block["type"]) {
    case "text":
      return asText(block["text"]);
    case "image":
    case "audio":
      return `[${block["type"]}: ${dataFacts(block["mimeType"], block["data"])}]`;
    case "resource_link":
      return renderLink(block);
    case "resource":
      return isObject(block["resource"]) ? renderResource(block["resource"]) : "";
    default:
      return `[content of type ${JSON.stringify(block["type"])}, which cannot be shown]`;
  }
}

function renderLink(link: JsonObject): string {
  const facts = [shortUri(asText(link["uri"]))];
  for (const field of ["name", "title", "description", "mimeType"]) facts.push(asText(link[field]));
  if (typeof link["size"] === "number") facts.push(`${link["size"]} bytes`);
  return `[link: ${facts.filter((fact) => fact !== "").join(", ")}]`;
}

function renderResource(resource: JsonObject): string {
  const uri = shortUri(asText(resource["uri"]));
  if (resource["blob"] !== undefined) return `[resource: ${uri}, ${dataFacts(resource["mimeType"], resource["blob"])}]`;
  return `[resource: ${uri}]\n${asText(resource["text"])}`;
}

function dataFacts(mimeType: unknown, base64: unknown): string {
  const size = Buffer.byteLength(asText(base64), "base64");
  return `${asText(mimeType) || "unknown type"}, ${size} bytes, not shown`;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Leaves out the content of a URI that holds it. */
function shortUri(uri: string): string {
  const comma = uri.indexOf(",");
  if (comma < 0 || !/^data:/i.test(uri)) return uri;
  return `${uri.slice(0, comma)} (${uri.length - comma - 1} characters, not shown)`;
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
  if (typeof value !== "string") return value;
  if (value.length >= shortestEncoded && /^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) {
    return `[${dataFacts("base64 data", value)}]`;
  }
  return shortUri(value);
}
