/** A JSON object. */
export type JsonObject = Record<string, unknown>;

/** Tells whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
