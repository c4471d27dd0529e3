import { formatDuration, pause, within } from "../environment.ts";
import { isObject } from "../json.ts";
import { createRedactor, type Logger } from "../log.ts";
import { failed, type Result } from "../tool.ts";
import type { McpConfig, ServerConfig } from "./config.ts";
import { readTools, renderResult, type ServerTool } from "./content.ts";
import { explain, isAnswer, NotSentError, Session, type AgentName, type SessionOptions } from "./session.ts";

/**
 * Waited after a change notice, so that a burst of notices causes one look at the tools. It doubles up to the longest while
 * notices are followed by no change.
 */
const settleTime = 50;
const longestSettleTime = 1_000;

/** Bounds the words of an error, in characters. */
const maxError = 1_000;

export type State = "connecting" | "connected" | "retrying" | "given up" | "closed";

/** Counts failed attempts and says how long to wait after each. */
export class Backoff {
  readonly #config: Pick<McpConfig, "retryInterval" | "retryMaxInterval" | "maxRetries">;
  failures = 0;

  constructor(config: Pick<McpConfig, "retryInterval" | "retryMaxInterval" | "maxRetries">) {
    this.#config = config;
  }

  /** Returns the pause until the next attempt, undefined when there is to be none. */
  fail(): number | undefined {
    const { maxRetries, retryInterval, retryMaxInterval } = this.#config;
    const wait = Math.min(retryInterval * 2 ** this.failures, retryMaxInterval);
    this.failures++;
    return maxRetries > 0 && this.failures > maxRetries ? undefined : wait;
  }

  succeed(): void {
    this.failures = 0;
  }
}

/**
 * Keeps one server connected and its tools known.
 *
 * The tools of a server that went away stay known: a call of one makes it try again at once, so that the first call after a
 * restart succeeds. They are dropped when the server is given up.
 */
export class Supervisor {
  readonly name: string;
  readonly #options: SessionOptions;
  readonly #config: McpConfig;
  readonly #logger: Logger;
  readonly #changed: () => void;

  state: State = "connecting";
  wasConnected = false;
  tools: readonly ServerTool[] = [];
  #session: Session | undefined;
  #failure: Error | undefined;
  /** Ends the pause before the next attempt. */
  #kick = new AbortController();
  /** Ends with the running or next attempt, and is then made anew. */
  #attempted = new AbortController();
  #stop = AbortSignal.abort();

  /** `changed` is called when the tools are others than before. */
  constructor(server: ServerConfig, config: McpConfig, agent: AgentName, logger: Logger, changed: () => void) {
    this.name = server.name;
    this.#config = config;
    const address = addressOf(server);
    this.#logger = logger.with({ server: server.name, address });
    const redact = createRedactor(secretsOf(server, address), new Map([[server.url, address]]));
    this.#options = { server, config, agent, logger: this.#logger, redact, closing: new Set() };
    this.#changed = changed;
  }

  /** Connects, and connects again, until the signal or until the server is given up. */
  async run(stop: AbortSignal): Promise<void> {
    this.#stop = stop;
    const backoff = new Backoff(this.#config);
    let due = performance.now(); // of the next attempt, unless a call asks for one earlier
    while (!stop.aborted) {
      await pause(due - performance.now(), AbortSignal.any([stop, this.#kick.signal]));
      if (stop.aborted) break;
      const kicked = this.#kick.signal.aborted;
      this.#kick = new AbortController(); // whoever waits now is served by this attempt
      const begun = performance.now();
      const session = await this.#connect(stop);
      if (session instanceof Session) {
        backoff.succeed();
        await this.#serve(session, stop);
        due = begun + this.#config.retryInterval; // a server that drops every session is not to be hammered
      } else if (!stop.aborted && !kicked) {
        // An attempt that a call asked for neither counts as a retry nor shifts the next one.
        const wait = backoff.fail();
        const { failures } = backoff;
        const error = session.message;
        if (wait === undefined) {
          this.#logger.error("MCP server given up", { error, failures });
          this.#end("given up", new Error(`given up after ${failures} failed attempts: ${error}`));
          return;
        }
        this.#logger.warn("MCP server not reachable", { error, failures, retry_in: formatDuration(wait) });
        due = performance.now() + wait;
      }
    }
    this.#end("closed", new Error("the agent is stopping"));
    await Promise.all(this.#options.closing);
  }

  /** Makes one attempt: a session and the tools, within the dial timeout. Otherwise it returns why there is none. */
  async #connect(stop: AbortSignal): Promise<Session | Error> {
    const signal = within(this.#config.dialTimeout, stop);
    let session: Session | undefined;
    try {
      session = await Session.open(this.#options, signal);
      this.#setTools(await session.listTools(signal));
      this.#settle("connected", session);
      this.#logger.info("MCP server connected", { tools: this.tools.length });
      return session;
    } catch (error) {
      session?.close();
      const failure = this.#explain(error, signal);
      this.#settle("retrying", undefined, failure);
      return failure;
    }
  }

  /** Keeps the tools up to date until the session is lost or the signal. */
  async #serve(session: Session, stop: AbortSignal): Promise<void> {
    let settle = settleTime;
    let wake = new AbortController();
    session.onevent = () => wake.abort();
    for (;;) {
      if (!session.changed) await pause(this.#config.refreshInterval, AbortSignal.any([wake.signal, stop]));
      if (session.lost === undefined && session.changed) await pause(settle, stop);
      wake = new AbortController();
      session.changed = false;
      const stopping = stop.aborted ? new Error("the agent is stopping") : undefined;
      const outcome = session.lost ?? stopping ?? (await this.#refresh(session, stop));
      if (outcome instanceof Error) {
        this.#abandon(session, outcome);
        if (!stop.aborted) this.#logger.warn("MCP session lost", { error: this.#words(outcome) });
        return;
      }
      settle = outcome ? settleTime : Math.min(2 * settle, longestSettleTime);
    }
  }

  /** Reads the tools again and tells whether they changed. An error says that the session is of no more use. */
  async #refresh(session: Session, stop: AbortSignal): Promise<boolean | Error> {
    const signal = within(this.#config.dialTimeout, stop);
    try {
      const changed = this.#setTools(await session.listTools(signal));
      if (changed) this.#logger.info("MCP tools changed", { tools: this.tools.length });
      return changed;
    } catch (error) {
      const failure = this.#explain(error, signal);
      // A server may work on one request at a time: that it does not answer while it works on a call says nothing.
      if (!isAnswer(error) && !(signal.aborted && session.busy)) return failure;
      this.#logger.warn("MCP server does not list its tools", { error: failure.message });
      return false;
    }
  }

  /** Keeps the tools, and tells whether they differ from those before. */
  #setTools(listed: { tools: readonly unknown[]; note?: string }): boolean {
    const { tools, leftOut } = readTools(listed.tools);
    if (JSON.stringify(tools) === JSON.stringify(this.tools)) return false;
    this.tools = tools;
    const why = "the name is missing or repeated, or the schema is invalid";
    if (leftOut.length > 0) this.#logger.warn(`MCP tools left out: ${why}`, { tools: leftOut });
    if (listed.note !== undefined) this.#logger.warn("MCP tools not read to the end", { reason: listed.note });
    this.#changed();
    return true;
  }

  /** Records the outcome of an attempt and wakes the calls that wait for it. */
  #settle(state: State, session?: Session, failure?: Error): void {
    this.state = state;
    this.wasConnected ||= session !== undefined;
    this.#session = session;
    this.#failure = failure;
    this.#attempted.abort();
    this.#attempted = new AbortController();
  }

  /** Stops using the session, and closes it. */
  #abandon(session: Session, reason: Error): void {
    if (this.#session === session) {
      this.#session = undefined;
      this.state = "retrying";
    }
    session.markLost(reason);
    session.close(this.#stop);
  }

  /** Records that no attempt will follow. */
  #end(state: State, failure: Error): void {
    this.#setTools({ tools: [] });
    this.#settle(state, undefined, failure);
  }

  /** Returns the session. While there is none it asks for an attempt, waits for it, and throws its error. */
  async #connected(signal: AbortSignal): Promise<Session> {
    if (this.#session !== undefined) return this.#session;
    if (this.state !== "given up" && this.state !== "closed") {
      const attempted = this.#attempted.signal;
      this.#kick.abort();
      await pause(Infinity, AbortSignal.any([attempted, signal]));
      signal.throwIfAborted();
    }
    if (this.#session === undefined) throw this.#failure ?? new Error("the session was lost again");
    return this.#session;
  }

  /**
   * Calls a tool within the call timeout. A call that did not reach the server is made once more, on a new session where the old
   * one is lost; one that may have reached it is not, since tools have effects.
   */
  async call(tool: string, args: unknown, signal: AbortSignal): Promise<Result> {
    if (!isObject(args)) return failed("the arguments must be a JSON object");
    const limited = within(this.#config.callTimeout, signal);
    for (let again = true; ; again = false) {
      let session: Session | undefined;
      try {
        session = await this.#connected(limited);
        const result = await session.callTool(tool, args, limited);
        return { text: renderResult(result), isError: result["isError"] === true };
      } catch (error) {
        if (session !== undefined && error instanceof NotSentError && !limited.aborted) {
          this.#abandon(session, error);
          if (again) continue;
        }
        session?.noteChange(); // see whether the server is still there
        return failed(this.#failureText(tool, error, session !== undefined, signal, limited));
      }
    }
  }

  /** Tells the model why the call brought no result. */
  #failureText(tool: string, error: unknown, sent: boolean, signal: AbortSignal, limited: AbortSignal): string {
    const server = `MCP server ${JSON.stringify(this.name)}`;
    const call = `the call of ${JSON.stringify(tool)}`;
    if (signal.aborted) return `${call} was cancelled`;
    if (limited.aborted) return `${server} did not answer ${call} within ${formatDuration(this.#config.callTimeout)}`;
    if (isAnswer(error)) return `${server} refused ${call}: ${this.#words(error)}`;
    return `${server} ${sent ? "did not complete the call" : "is not connected"}: ${this.#words(error)}`;
  }

  /** Puts an error into words, without secrets and cut: a refusal may be a whole page. */
  #words(error: unknown): string {
    return this.#options.redact(explain(error)).slice(0, maxError);
  }

  /** Turns an error into one with such words, or with the limit that was exceeded. */
  #explain(error: unknown, signal: AbortSignal): Error {
    const isLate = (signal.reason as Error | undefined)?.name === "TimeoutError";
    return new Error(isLate ? `no answer within ${formatDuration(this.#config.dialTimeout)}` : this.#words(error));
  }
}

/** Scheme, host and port of a server, or its command: a path may hold a secret too. */
function addressOf(server: ServerConfig): string {
  //adl:if stdio
  if (server.transport === "stdio") return server.command ?? "";
  //adl:end
  return new URL(server.url).origin;
}

/** Returns all that might be secret about a server. */
function secretsOf(server: ServerConfig, address: string): string[] {
  const secrets = server.secrets.filter((value) => !address.includes(value)); // the host is shown
  for (const value of Object.values(server.headers)) {
    secrets.push(value, ...value.split(/\s+/).slice(1)); // the token of "Bearer token"
  }
  //adl:if stdio
  secrets.push(...Object.values(server.env ?? {}));
  if (server.transport === "stdio") return secrets;
  //adl:end
  const { username, password, search, searchParams, pathname } = new URL(server.url);
  secrets.push(username, password, decodeURIComponent(password), search, ...searchParams.values());
  if (search !== "") secrets.push(pathname + search);
  return secrets.flatMap((value) => [value, encodeURIComponent(value)]);
}
