/**
 * Settings from environment variables.
 *
 * A variable that is set but empty counts: text becomes empty, an optional number is unset, anything else is an error.
 */

import { setTimeout } from "node:timers/promises";

/** Finds an environment variable; an empty value is a value. */
export type Lookup = (name: string) => string | undefined;

/** A setting: the variable that overrides it, and how the variable's text is read. */
export interface Variable<T> {
  readonly name: string;
  readonly parse: (text: string) => T;
}

export type Values<V> = { [K in keyof V]: V[K] extends Variable<infer T> ? T : never };

/** Reads a group of settings. Values that cannot be used become problems. */
export function readVariables<V extends Record<string, Variable<unknown>>>(
  variables: V,
  lookup: Lookup,
  problems: string[],
): Values<V> {
  const values: Record<string, unknown> = {};
  for (const [key, { name, parse }] of Object.entries(variables)) {
    try {
      values[key] = parse(lookup(name) ?? "");
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return values as Values<V>;
}

/** A setting with a text that has a meaning; for any other text the meaning is undefined. */
function variable<T>(name: string, expected: string, meaning: (text: string) => T | undefined): Variable<T> {
  return {
    name,
    parse(value) {
      const found = meaning(value.trim());
      if (found === undefined) throw new Error(`must be ${expected}, not ${JSON.stringify(value)}`);
      return found;
    },
  };
}

function optional<T>({ name, parse }: Variable<T>): Variable<T | undefined> {
  return { name, parse: (value) => (value.trim() === "" ? undefined : parse(value)) };
}

export function text(name: string): Variable<string> {
  return { name, parse: (value) => value };
}

export function boolean(name: string): Variable<boolean> {
  return variable(name, "true or false", (value) => {
    if (/^(1|t|T|true|TRUE|True)$/.test(value)) return true;
    return /^(0|f|F|false|FALSE|False)$/.test(value) ? false : undefined;
  });
}

export function integer(name: string): Variable<number> {
  return variable(name, "a non-negative integer", (value) => {
    const number = parseInteger(value);
    return number !== undefined && number >= 0 ? number : undefined;
  });
}

export function optionalInteger(name: string): Variable<number | undefined> {
  return optional(variable(name, "an integer", parseInteger));
}

export function optionalNumber(name: string): Variable<number | undefined> {
  const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
  return optional(variable(name, "a number", (value) => (isNumber.test(value) ? Number(value) : undefined)));
}

/** A duration of more than zero, in milliseconds. */
export function duration(name: string): Variable<number> {
  return variable(name, "a duration of more than zero such as 500ms, 30s or 5m", (value) => {
    const nanoseconds = parseNanoseconds(value) ?? 0n;
    return nanoseconds > 0n ? Number(nanoseconds) / 1e6 : undefined;
  });
}

function parseInteger(value: string): number | undefined {
  return /^[+-]?\d+$/.test(value) && Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Reads a duration as Go writes them, such as `1h30m`, in nanoseconds; undefined for anything else. */
export function parseNanoseconds(value: string): bigint | undefined {
  if (/^[+-]?0$/.test(value)) return 0n;
  if (!/^[+-]?((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(value)) return undefined;
  let nanoseconds = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of value.matchAll(/(\d*)\.?(\d*)([a-zµμ]+)/g)) {
    const size = units[unit] ?? 0n;
    const part = Number(fraction) * (Number(size) / 10 ** fraction.length); // as inexact as in Go
    nanoseconds += BigInt(whole) * size + BigInt(Math.trunc(part));
  }
  const negative = value.startsWith("-");
  if (nanoseconds > 2n ** 63n - (negative ? 0n : 1n)) return undefined;
  return negative ? -nanoseconds : nanoseconds;
}

export function formatNanoseconds(nanoseconds: bigint): string {
  if (nanoseconds < 0n) return `-${formatNanoseconds(-nanoseconds)}`;
  if (nanoseconds === 0n) return "0s";
  const small = nanoseconds < 1_000n ? "ns" : nanoseconds < 1_000_000n ? "µs" : "ms";
  if (nanoseconds < 1_000_000_000n) return decimal(nanoseconds, units[small] ?? 1n) + small;
  const seconds = `${decimal(nanoseconds % 60_000_000_000n, 1_000_000_000n)}s`;
  const minutes = nanoseconds / 60_000_000_000n;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

export function formatDuration(milliseconds: number): string {
  return formatNanoseconds(BigInt(Math.round(milliseconds * 1e6)));
}

/** Writes a quotient by a power of ten without zeros at its end. */
function decimal(value: bigint, unit: bigint): string {
  const fraction = String(value % unit).padStart(String(unit).length - 1, "0");
  return `${value / unit}.${fraction}`.replace(/\.?0*$/, "");
}

/** Timers take no more: about 24 days. A longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

/** Waits, or until the signal ends the wait. It never fails. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(Math.min(milliseconds, longestTimer), undefined, { signal }).catch(() => undefined);
}

/** Returns a signal that ends after the time or with the given signal, whichever comes first. */
export function within(milliseconds: number, signal?: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(Math.min(Math.ceil(milliseconds), longestTimer));
  return signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
}

/** Ends the wait for the work with the signal. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = new AbortController();
  const aborted = pause(Infinity, AbortSignal.any([signal, over.signal])).then((): never => {
    throw signal.reason as Error;
  });
  try {
    const result = await Promise.race([work, aborted]);
    signal.throwIfAborted(); // the work may look at the signal too
    return result;
  } finally {
    over.abort();
  }
}

/** Returns the first four bytes of the SHA-256 of a text, in hexadecimal. */
export function shortHash(value: string): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(value).digest("hex").slice(0, 8);
}
