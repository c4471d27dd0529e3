/** Sessions with MCP servers, and what the library needs help with. */

import {
  Client,
  ProtocolError,
  SdkHttpError,
  specTypeSchemas,
  StreamableHTTPClientTransport,
  type Transport,
  type VersionNegotiationMode,
} from "@modelcontextprotocol/client";
//adl:if sse
import { SSEClientTransport } from "@modelcontextprotocol/client";
//adl:end

import { pause, unlessAborted } from "../environment.ts";
import { describe, type Logger } from "../log.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { McpConfig, ServerConfig } from "./config.ts";
//adl:if stdio
import { createCommand } from "./stdio.ts";
//adl:end

/** After this time the end of a session is no longer waited for. */
const closeTimeout = 3_000;

/** What one listing of tools may bring; a server might repeat itself for ever. */
const maxPages = 1_000;
const maxTools = 10_000;
const maxListing = 16 << 20;

/** Bounds one response or event of a server, in bytes. */
const maxResponse = 32 << 20;

/** The library gives up after this time whatever it is told; every request has a signal of its own. */
const noTimeout = 2 ** 31 - 1;

/** The request did not reach the server: it can be sent once more. */
export class NotSentError extends Error {}

/** Tells whether the error is the server's own answer, as opposed to a failure to reach it. */
export function isAnswer(error: unknown): boolean {
  return error instanceof ProtocolError;
}

/** Puts what went wrong with a server into words: a refusal with its status, which the library leaves out. */
export function explain(error: unknown): string {
  return (error instanceof SdkHttpError ? `HTTP ${error.status}: ` : "") + describe(error);
}

/** What the agent calls itself. */
export interface AgentName {
  readonly name: string;
  readonly version: string;
}

export interface SessionOptions {
  readonly server: ServerConfig;
  readonly config: McpConfig;
  readonly agent: AgentName;
  readonly logger: Logger;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  readonly closing: Set<Promise<void>>;
}

/** One MCP session with a server. Once lost it is never used again. */
export class Session {
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #closing: Set<Promise<void>>;
  #calls = 0;

  /** Why the session is of no more use. */
  lost: Error | undefined;
  /** The tools may have changed, or the server may be gone. */
  changed = false;
  onevent: () => void = () => undefined;

  private constructor(options: SessionOptions, mode: VersionNegotiationMode) {
    const note = () => this.noteChange();
    this.#closing = options.closing;
    this.#transport = createTransport(options, this);
    this.#client = new Client(options.agent, {
      capabilities: {},
      versionNegotiation: { mode },
      ...(mode === "auto" && { listChanged: { tools: { autoRefresh: false, onChanged: note } } }),
    });
    if (mode === "legacy") this.#client.setNotificationHandler("notifications/tools/list_changed", note);
    this.#client.onclose = () => this.markLost(new Error("the server ended the session"));
  }

  /** Connects to a server. The older protocol, which every server of today knows and which has sessions, is asked for first. */
  static async open(options: SessionOptions, signal: AbortSignal): Promise<Session> {
    try {
      return await Session.#connect(options, "legacy", signal);
    } catch (error) {
      if (!isAnswer(error) || signal.aborted) throw error;
      return await Session.#connect(options, "auto", signal);
    }
  }

  static async #connect(options: SessionOptions, mode: VersionNegotiationMode, signal: AbortSignal): Promise<Session> {
    const session = new Session(options, mode);
    try {
      await unlessAborted(session.#client.connect(session.#transport, { signal, timeout: noTimeout }), signal);
    } catch (error) {
      session.close();
      throw session.lost instanceof NotSentError ? session.lost : error;
    }
    return session;
  }

  get busy(): boolean {
    return this.#calls > 0;
  }

  /**
   * Reads all pages of the server's tools, as the server wrote them: the library would refuse all tools because of one. The note
   * says why the list is not whole.
   */
  async listTools(signal: AbortSignal): Promise<{ tools: unknown[]; note?: string }> {
    const tools: unknown[] = [];
    const cursors = new Set<unknown>();
    const names = new Set<unknown>();
    let cursor: unknown;
    let size = 0;
    for (let page = 1; ; page++) {
      const result = await this.#request("tools/list", cursor === undefined ? {} : { cursor }, signal).catch(noTools);
      const found = Array.isArray(result["tools"]) ? (result["tools"] as unknown[]) : [];
      const known = found.map((tool) => (isObject(tool) ? tool["name"] : undefined));
      size += JSON.stringify(result).length;
      cursor = result["nextCursor"];
      const repeated = page > 1 && known.some((name) => names.has(name));
      if (!repeated) tools.push(...found);
      if (repeated || cursors.has(cursor)) return { tools, note: "the server repeats a page of its list" };
      if (tools.length > maxTools || size > maxListing || page === maxPages) {
        return { tools: tools.slice(0, maxTools), note: "the server's list is too long" };
      }
      if (cursor === undefined || cursor === null || cursor === "") return { tools };
      cursors.add(cursor);
      for (const name of known) names.add(name);
    }
  }

  /** Calls a tool and returns the result as the server wrote it: the library would refuse all of it because of one part. */
  async callTool(name: string, args: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    this.#calls++;
    try {
      return await this.#request("tools/call", { name, arguments: args }, signal);
    } finally {
      this.#calls--;
    }
  }

  async #request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    if (this.lost !== undefined) throw new NotSentError(this.lost.message);
    return unlessAborted(
      this.#client.request({ method, params }, specTypeSchemas.Result, { signal, timeout: noTimeout }),
      signal,
    );
  }

  noteChange(): void {
    this.changed = true;
    this.onevent();
  }

  /** Makes known that the session is of no more use. The first reason counts. */
  markLost(reason: Error): void {
    this.lost ??= reason;
    this.onevent();
  }

  /** Ends the session in the background, politely and within a limit. Calls that are running may end first. */
  close(stop?: AbortSignal): void {
    this.markLost(new Error("the session was closed"));
    const closing = this.#end(stop).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  async #end(stop?: AbortSignal): Promise<void> {
    while (this.#calls > 0 && stop?.aborted === false) await pause(50, stop);
    if (this.#transport instanceof StreamableHTTPClientTransport && !(this.lost instanceof NotSentError)) {
      await Promise.race([this.#transport.terminateSession().catch(() => undefined), pause(closeTimeout)]);
    }
    await Promise.race([this.#client.close().catch(() => undefined), pause(closeTimeout)]);
    await this.#transport.close().catch(() => undefined); // one that failed half-way is not the client's
  }
}

/** Takes the answer of a server that does not know the method for an empty list. */
function noTools(error: unknown): JsonObject {
  const methodNotFound = -32601;
  if (error instanceof ProtocolError && error.code === methodNotFound) return {};
  throw error;
}

function createTransport(options: SessionOptions, session: Session): Transport {
  const { server, config } = options;
  //adl:if stdio
  if (server.transport === "stdio") return createCommand(options, (reason) => session.markLost(reason));
  //adl:end
  const url = new URL(server.url);
  const headers = { ...server.headers };
  if (url.username + url.password !== "") {
    // Requests cannot have a user name in their URL. A header beats it.
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    const given = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
    if (!given) headers["Authorization"] = `Basic ${Buffer.from(user).toString("base64")}`;
    url.username = url.password = "";
  }
  const send = createFetch(url.origin, headers, config, session, server.transport === "http");
  //adl:if sse
  if (server.transport === "sse") {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- servers of 2024 know nothing else
    const transport = new SSEClientTransport(url, { fetch: send });
    // The library opens a stream that ended again, in a session that the server does not know.
    transport.onerror = (error) => session.markLost(error);
    return transport;
  }
  //adl:end
  return new StreamableHTTPClientTransport(url, {
    fetch: send,
    reconnectionOptions: {
      initialReconnectionDelay: config.retryInterval,
      maxReconnectionDelay: config.retryMaxInterval,
      reconnectionDelayGrowFactor: 2,
      maxRetries: Infinity,
    },
  });
}

/**
 * Returns the function that sends the requests of one session. Redirects are followed by the library, within the origin alone.
 *
 * - The server's headers go to the server, and to nobody else.
 * - A refusal that means that the session is lost is told from other refusals, and a request that did not reach the server from
 *   one that may have.
 * - Responses and events are bounded.
 * - The stream on which a server sends its notices is opened as often as needed, and never is a reason to give a session up.
 */
function createFetch(
  origin: string,
  headers: Readonly<Record<string, string>>,
  config: McpConfig,
  session: Session,
  isStreamable: boolean,
): typeof fetch {
  let streams = 0;

  const send = async (input: string | URL | Request, init: RequestInit): Promise<Response> => {
    const all = new Headers(init.headers);
    const isServer = new URL(input instanceof Request ? input.url : input).origin === origin;
    for (const [name, value] of isServer ? Object.entries(headers) : []) {
      // What the protocol itself sets is not to be overridden.
      if (!all.has(name) || name.toLowerCase() === "authorization") all.set(name, value);
    }
    const response = await fetch(input, { ...init, headers: all }).catch((error: unknown) => {
      throw isNotSent(error) ? new NotSentError(describe(error), { cause: error }) : error;
    });
    if (all.has("mcp-session-id") && (await saysSessionLost(response))) {
      const reason = new NotSentError(`the server does not know the session any more (HTTP ${response.status})`);
      session.markLost(reason);
      throw reason;
    }
    return response;
  };

  const openStream = async (input: string | URL | Request, init: RequestInit): Promise<Response> => {
    if (++streams > 1) session.noteChange(); // notices may have been missed
    for (let wait = config.retryInterval; ; wait = Math.min(2 * wait, config.retryMaxInterval)) {
      try {
        const response = await send(input, init);
        if (response.ok && isEventStream(response)) return bounded(response, () => session.noteChange());
        await response.body?.cancel();
        // The server offers no stream: the library asks no more after this status.
        if (response.status < 500 && response.status !== 429) return new Response(null, { status: 405 });
      } catch (error) {
        if (init.signal?.aborted === true || session.lost !== undefined) throw error;
      }
      session.noteChange(); // the server may be gone
      await pause(wait, init.signal ?? undefined);
    }
  };

  return async (input, init = {}) => {
    const method = init.method ?? "GET";
    if (method === "GET" && isStreamable) return openStream(input, init);
    const response = await send(input, init);
    return method === "DELETE" ? response : bounded(response);
  };
}

/** Tells whether a request failed before it was sent. */
function isNotSent(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const inner = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause;
  const code = (inner as NodeJS.ErrnoException | undefined)?.code ?? "";
  return /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|CERT_\w+)$/.test(
    code,
  );
}

/**
 * Tells whether the response to a request with a session means that there is no such session. The protocol asks for 404, but
 * many servers answer 400, with words about the session.
 */
async function saysSessionLost(response: Response): Promise<boolean> {
  if (response.status === 404) return true;
  if (response.status !== 400) return false;
  try {
    const { error } = JSON.parse(await response.clone().text()) as { error?: { code?: number; message?: string } };
    const code = error?.code ?? 0; // of an invalid request, or one of the server's own
    return (code === -32600 || (code <= -32000 && code > -32100)) && sessionFault.test(error?.message ?? "");
  } catch {
    return false;
  }
}

/** What servers say about a session that they do not know. */
const sessionFault =
  /session[-_ ]?id|(no|valid|invalid|unknown|missing|expired) session|server not initialized|^(bad request: )?session (is |was |has )?(not found|unknown|invalid|expired|closed|terminated|required|missing)/i;

function isEventStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/** Bounds a body: a response as a whole, a stream event by event. `ended` is called with the end of a stream. */
function bounded(response: Response, ended?: () => void): Response {
  if (response.body === null) return response;
  const isStream = isEventStream(response);
  const body: AsyncIterable<Uint8Array> = response.body;
  async function* read() {
    let size = 0;
    let afterReturn = false;
    try {
      for await (const chunk of body) {
        // Lines end with a line feed alone: the library takes no carriage return for an end before it knows what follows.
        const text = Buffer.from(chunk).toString("latin1");
        const lines = text.slice(afterReturn && text.startsWith("\n") ? 1 : 0).replace(/\r\n?/g, "\n");
        afterReturn = text.endsWith("\r");
        const end = lines.lastIndexOf("\n\n");
        size = isStream && end >= 0 ? lines.length - end : size + chunk.length;
        if (size > maxResponse) throw new Error("the server's response is too large");
        yield isStream ? Buffer.from(lines, "latin1") : chunk;
      }
    } finally {
      ended?.();
    }
  }
  return new Response(ReadableStream.from(read()), response);
}
