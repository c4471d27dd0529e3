/**
 * Settings from environment variables.
 *
 * A variable that is set but empty counts: text becomes empty, an optional number is unset, anything else is an error.
 */

/** Finds an environment variable; an empty value is a value. */
export type Lookup = (name: string) => string | undefined;

/** A setting: the variable that overrides it, and how the variable's text is read. */
export interface Variable<T> {
  readonly name: string;
  readonly parse: (text: string) => T;
}

/** The values of a group of settings. */
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

/** Any text. */
export function text(name: string): Variable<string> {
  return { name, parse: (value) => value };
}

/** A truth value, as Go writes them. */
export function boolean(name: string): Variable<boolean> {
  return {
    name,
    parse(value) {
      if (/^(1|t|T|true|TRUE|True)$/.test(value.trim())) return true;
      if (/^(0|f|F|false|FALSE|False)$/.test(value.trim())) return false;
      throw new Error(`must be true or false, not ${JSON.stringify(value)}`);
    },
  };
}

/** A non-negative integer. */
export function integer(name: string): Variable<number> {
  return {
    name,
    parse(value) {
      const number = parseInteger(value);
      if (number === undefined || number < 0) {
        throw new Error(`must be a non-negative integer, not ${JSON.stringify(value)}`);
      }
      return number;
    },
  };
}

/** An integer; empty is none. */
export function optionalInteger(name: string): Variable<number | undefined> {
  return {
    name,
    parse(value) {
      if (value.trim() === "") return undefined;
      const number = parseInteger(value);
      if (number === undefined) throw new Error(`must be an integer, not ${JSON.stringify(value)}`);
      return number;
    },
  };
}

/** A decimal number; empty is none. */
export function optionalNumber(name: string): Variable<number | undefined> {
  return {
    name,
    parse(value) {
      if (value.trim() === "") return undefined;
      if (!/^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/.test(value)) {
        throw new Error(`must be a number, not ${JSON.stringify(value)}`);
      }
      return Number(value);
    },
  };
}

/** A duration of more than zero, in milliseconds. */
export function duration(name: string): Variable<number> {
  return {
    name,
    parse(value) {
      const nanoseconds = parseNanoseconds(value.trim());
      if (nanoseconds === undefined) {
        throw new Error(`must be a duration such as 500ms, 30s or 5m, not ${JSON.stringify(value)}`);
      }
      if (nanoseconds <= 0n) throw new Error(`must be more than zero, not ${JSON.stringify(value)}`);
      return Number(nanoseconds) / 1e6;
    },
  };
}

function parseInteger(value: string): number | undefined {
  if (!/^[+-]?\d+$/.test(value.trim())) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : undefined;
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

/** Writes a duration in nanoseconds as Go does: `1m30s`, `500ms`. */
export function formatNanoseconds(nanoseconds: bigint): string {
  if (nanoseconds < 0n) return `-${formatNanoseconds(-nanoseconds)}`;
  const unit = nanoseconds < 1_000n ? "ns" : nanoseconds < 1_000_000n ? "µs" : "ms";
  if (nanoseconds === 0n) return "0s";
  if (nanoseconds < 1_000_000_000n) return decimal(nanoseconds, units[unit] ?? 1n) + unit;
  const seconds = `${decimal(nanoseconds % 60_000_000_000n, 1_000_000_000n)}s`;
  const minutes = nanoseconds / 60_000_000_000n;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** Writes a duration in milliseconds as Go does. */
export function formatDuration(milliseconds: number): string {
  return formatNanoseconds(BigInt(Math.round(milliseconds * 1e6)));
}

/** Writes a quotient by a power of ten without zeros at its end. */
function decimal(value: bigint, unit: bigint): string {
  const fraction = String(value % unit)
    .padStart(String(unit).length - 1, "0")
    .replace(/0+$/, "");
  return fraction === "" ? `${value / unit}` : `${value / unit}.${fraction}`;
}

/** Timers take no more: about 24 days. A longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

/** Waits, or until the signal ends the wait. It never fails. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(milliseconds, longestTimer));
    signal?.addEventListener("abort", end);
  });
}

/** Returns a signal that ends after the time or with the given signal, whichever comes first. */
export function within(milliseconds: number, signal?: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(Math.min(Math.ceil(milliseconds), longestTimer));
  return signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
}
