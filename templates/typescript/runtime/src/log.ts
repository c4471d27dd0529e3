/** The agent's log: one JSON object a line, without secrets. */

export type Fields = Readonly<Record<string, unknown>>;

export interface Logger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  with(fields: Fields): Logger;
}

/** Returns a logger that passes each line to `write`; lines of level debug only when asked for. */
export function createLogger(write: (line: string) => void, debug: boolean, common: Fields = {}): Logger {
  const log = (level: string, message: string, fields: Fields = {}) => {
    write(`${JSON.stringify({ time: new Date().toISOString(), level, msg: message, ...common, ...fields })}\n`);
  };
  return {
    debug: debug ? log.bind(undefined, "DEBUG") : () => undefined,
    info: log.bind(undefined, "INFO"),
    warn: log.bind(undefined, "WARN"),
    error: log.bind(undefined, "ERROR"),
    with: (fields) => createLogger(write, debug, { ...common, ...fields }),
  };
}

/** Keeps what libraries print on the console out of the log, unless debug lines are on: it may hold addresses and keys. */
export function silenceConsole(logger: Logger): void {
  const note = (...values: unknown[]) => {
    logger.debug("library message", { text: values.map(describe).join(" ") });
  };
  Object.assign(console, { log: note, info: note, warn: note, error: note, debug: note });
}

/** Puts an error into words. The cause says what went wrong where the error itself only says that something did. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause : undefined;
  if (cause === undefined) return error.message;
  // A connection that was tried at several addresses has an error for each.
  const inner = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause;
  const detail = describe(inner) || ((cause as NodeJS.ErrnoException).code ?? cause.name);
  return error.message === "fetch failed" ? detail : `${error.message}: ${detail}`;
}

/** An error with a text that the user of the agent may read; of other errors only the log does. */
export class PublicError extends Error {}

/** Below this length a value is not taken for a secret: hiding "1" or "true" would make errors unreadable. */
const shortestSecret = 5;

/** Returns a function that replaces secrets in a text; longer ones first, so that no rest of one is left. */
export function createRedactor(secrets: Iterable<string>, replacements: ReadonlyMap<string, string> = new Map()) {
  const pairs = new Map(replacements);
  for (const secret of secrets) {
    if (secret.length >= shortestSecret && !pairs.has(secret)) pairs.set(secret, "[redacted]");
  }
  const found = [...pairs.keys()].filter((key) => key !== "").sort((a, b) => b.length - a.length);
  if (found.length === 0) return (text: string) => text;
  const pattern = new RegExp(found.map((key) => key.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|"), "g");
  return (text: string) => text.replace(pattern, (match) => pairs.get(match) ?? "");
}
