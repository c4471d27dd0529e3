import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { boolean, duration, formatDuration, integer, pause, shortHash, text, type Values } from "../environment.ts";
import { describe, type Logger } from "../log.ts";
import type { JsonObject } from "../json.ts";

export const serverVariables = {
  host: text("A2A_SERVER_HOST"),
  port: integer("A2A_SERVER_PORT"),
  agentUrl: text("A2A_AGENT_URL"),
  debug: boolean("A2A_DEBUG"),
  readTimeout: duration("A2A_SERVER_READ_TIMEOUT"),
  idleTimeout: duration("A2A_SERVER_IDLE_TIMEOUT"),
  shutdownTimeout: duration("A2A_SERVER_SHUTDOWN_TIMEOUT"),
  maxBodyBytes: integer("A2A_SERVER_MAX_BODY_BYTES"),
  disableHealthcheckLog: boolean("A2A_SERVER_DISABLE_HEALTHCHECK_LOG"),
  tlsEnabled: boolean("A2A_SERVER_TLS_ENABLED"),
  tlsCertPath: text("A2A_SERVER_TLS_CERT_PATH"),
  tlsKeyPath: text("A2A_SERVER_TLS_KEY_PATH"),
};

export type ServerConfig = Values<typeof serverVariables>;

export const taskVariables = {
  maxCompletedTasks: integer("A2A_TASK_RETENTION_MAX_COMPLETED_TASKS"),
  maxFailedTasks: integer("A2A_TASK_RETENTION_MAX_FAILED_TASKS"),
  maxBytes: integer("A2A_TASK_RETENTION_MAX_BYTES"),
  maxWaitingBytes: integer("A2A_TASK_RETENTION_MAX_WAITING_BYTES"),
};

export type TaskConfig = Values<typeof taskVariables>;

export const capabilityVariables = {
  streaming: boolean("A2A_CAPABILITIES_STREAMING"),
  //adl:if push
  pushNotifications: boolean("A2A_CAPABILITIES_PUSH_NOTIFICATIONS"),
  //adl:end
  //adl:if history
  stateTransitionHistory: boolean("A2A_CAPABILITIES_STATE_TRANSITION_HISTORY"),
  //adl:end
};

export type CapabilityConfig = Values<typeof capabilityVariables>;

export function checkServer(config: ServerConfig): string[] {
  const { agentUrl, port, tlsEnabled, tlsCertPath, tlsKeyPath } = serverVariables;
  // Paths can be appended to the address, and it can be published.
  const isBaseUrl = /^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/i.test(config.agentUrl) && URL.canParse(config.agentUrl);
  const needed = `must be set while ${tlsEnabled.name} is true`;
  const faults = [
    [
      !isBaseUrl && config.agentUrl !== "",
      agentUrl,
      "must be an http or https URL without user name, query and fragment",
    ],
    [config.port > 65535, port, `${config.port} is above 65535`],
    [config.tlsEnabled && config.tlsCertPath === "", tlsCertPath, needed],
    [config.tlsEnabled && config.tlsKeyPath === "", tlsKeyPath, needed],
  ] as const;
  return faults.filter(([isWrong]) => isWrong).map(([, { name }, words]) => `${name}: ${words}`);
}

// An import loads parts of these modules that are not used, which takes longer than all else until the port is open.
const http = () => process.getBuiltinModule("node:http");
const https = () => process.getBuiltinModule("node:https");

const headersTimeout = 10_000;

/** How long streams may take to send their last event once the time for running tasks is over. */
const shutdownGrace = 2_000;

/** How often a quiet stream shows proxies that it is alive. */
const keepAliveInterval = 15_000;

/** How much of a stream may wait for a client that reads slowly, in bytes. */
const maxUnread = 16 << 20;

/** What the server answers with once the agent is put together. */
export interface Agent {
  /** Answers the text of a JSON-RPC request of a protocol version. */
  readonly answer: (body: string, version: string) => Promise<JsonObject | AsyncIterable<JsonObject>>;
  /** Waits for running tasks, and ends those that take longer than the limit. */
  readonly drain: (limit: number) => Promise<void>;
  /** Tells whether what the agent depends on was reached. */
  readonly isReady: () => boolean;
}

export function isHealthy({ host, port, tlsEnabled }: ServerConfig): Promise<boolean> {
  const options = { host: host || "localhost", port, path: "/health", timeout: 5_000, rejectUnauthorized: false };
  return new Promise((resolve) => {
    const request = (tlsEnabled ? https() : http()).request(options);
    request.on("response", ({ statusCode }) => resolve(statusCode === 200));
    request.on("error", () => resolve(false));
    request.on("timeout", () => resolve(false)).end();
  });
}

/** Takes HTTP requests to the agent. `/health` and the card are answered before the agent is put together. */
export class AgentServer {
  readonly #config: ServerConfig;
  readonly #logger: Logger;
  readonly #server: Server;
  #agent: Promise<Agent> | undefined;
  #isReady = () => false;
  #card = "";
  #stopping = false;

  private constructor(config: ServerConfig, logger: Logger) {
    this.#config = config;
    this.#logger = logger;
    const options = { headersTimeout, requestTimeout: config.readTimeout, keepAliveTimeout: config.idleTimeout };
    if (config.tlsEnabled) {
      const { readFileSync } = process.getBuiltinModule("node:fs");
      const [cert, key] = [readFileSync(config.tlsCertPath), readFileSync(config.tlsKeyPath)];
      this.#server = https().createServer({ ...options, cert, key });
    } else this.#server = http().createServer(options);
  }

  /** Opens the port. An error names the variable to look at. */
  static async listen(config: ServerConfig, logger: Logger): Promise<AgentServer> {
    const { host, port, tlsCertPath, tlsKeyPath } = serverVariables;
    let names = `${tlsCertPath.name}, ${tlsKeyPath.name}`;
    try {
      const server = new AgentServer(config, logger);
      names = `${host.name}, ${port.name}`;
      await once(server.#server.listen(config.port, config.host || undefined), "listening");
      return server;
    } catch (error) {
      throw new Error(`${names}: ${describe(error)}`, { cause: error });
    }
  }

  /** The address that clients use: the one in the settings, else this machine's. */
  baseUrl(scheme: string): string {
    const { port } = this.#server.address() as AddressInfo;
    return this.#config.agentUrl || `${this.#config.tlsEnabled ? "https" : scheme}://localhost:${port}`;
  }

  /** Answers requests from now on. The agent is announced in the log once it is put together. */
  start(card: JsonObject, agent: Promise<Agent>): void {
    this.#card = JSON.stringify(card, undefined, 2);
    this.#agent = agent;
    const { address, port, family } = this.#server.address() as AddressInfo;
    const host = family === "IPv6" ? `[${address}]` : address;
    const announce = ({ isReady }: Agent) => {
      this.#isReady = isReady;
      this.#logger.info("agent listening", { address: `${host}:${port}`, url: card["url"] });
    };
    agent.then(announce).catch(() => undefined); // the caller handles the error
    this.#server.on("request", (request, response) => void this.#serve(agent, request, response));
  }

  /** Closes the port at once, and every connection as soon as its request is answered. */
  async close(): Promise<void> {
    this.#stopping = true;
    const limit = this.#config.shutdownTimeout;
    this.#logger.info("agent stopping", { limit: formatDuration(limit) });
    const closed = new AbortController();
    this.#server.close(() => closed.abort());
    const sweep = setInterval(() => this.#server.closeIdleConnections(), 5);
    await (await this.#agent)?.drain(limit);
    await pause(shutdownGrace, closed.signal);
    clearInterval(sweep);
    if (!closed.signal.aborted) this.#logger.warn("connections were cut off");
    this.#server.closeAllConnections();
  }

  async #serve(agent: Promise<Agent>, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const begun = performance.now();
    const path = (request.url ?? "").split("?")[0] ?? "";
    response.on("close", () => {
      if (path === "/health" && this.#config.disableHealthcheckLog) return;
      const { method } = request;
      const duration = formatDuration(Math.round((performance.now() - begun) * 1e3) / 1e3);
      this.#logger.info("request", { method, path, status: response.statusCode, duration });
    });
    try {
      await this.#route(agent, path, request, response);
    } catch (error) {
      if (request.destroyed && !request.complete) return; // the client went away, or took too long
      this.#logger.error("request failed", { path, error: describe(error) });
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, rpcError(-32603, "internal error"));
    }
  }

  async #route(agent: Promise<Agent>, path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isRpc = path === "/" || path === "/a2a" || path === "/a2a/";
    const isDocument = path === "/health" || path === "/ready" || path === "/.well-known/agent-card.json";
    if (!isRpc && !isDocument) {
      sendJson(response, 404, { error: "not found" });
    } else if (isRpc ? request.method !== "POST" : request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("Allow", isRpc ? "POST" : "GET, HEAD");
      sendJson(response, 405, { error: "method not allowed" });
    } else if (path === "/health") {
      sendJson(response, 200, { status: "healthy" });
    } else if (path === "/ready") {
      const isReady = !this.#stopping && this.#isReady();
      sendJson(response, isReady ? 200 : 503, { status: isReady ? "ready" : "not ready" });
    } else if (isRpc) {
      await this.#answer(agent, request, response);
    } else {
      this.#sendCard(request, response);
    }
  }

  /** The card may be read by anybody, from any page, and be kept for a while. */
  #sendCard(request: IncomingMessage, response: ServerResponse): void {
    const tag = `"${shortHash(this.#card)}"`;
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.setHeader("Cache-Control", "public, max-age=60");
    response.setHeader("ETag", tag);
    if (request.headers["if-none-match"] === tag) response.writeHead(304).end();
    else response.setHeader("Content-Type", "application/json").end(this.#card);
  }

  /**
   * Answers a JSON-RPC request. Web pages of other hosts are refused: a browser sends what they like to an agent on its user's
   * machine, but not with this content type unasked.
   */
  async #answer(agent: Promise<Agent>, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isCrossOrigin(request)) {
      sendJson(response, 403, rpcError(-32600, "pages of other hosts may not use the agent"));
      return;
    }
    if (!/^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "")) {
      sendJson(response, 415, rpcError(-32600, "the content type must be application/json"));
      return;
    }
    const body = await readBody(request, this.#config.maxBodyBytes);
    if (body === undefined) {
      response.setHeader("Connection", "close");
      sendJson(response, 413, rpcError(-32600, "the request is too large"));
      return;
    }
    const answer = await (await agent).answer(body, String(request.headers["a2a-version"] ?? ""));
    if (Symbol.asyncIterator in answer) await sendEvents(response, answer);
    else sendJson(response, 200, answer);
  }
}

async function readBody(request: IncomingMessage, limit: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/**
 * Sends server-sent events. They are taken to their end even when the client has gone: the library stores what a task does only
 * while somebody takes its events.
 */
async function sendEvents(response: ServerResponse, events: AsyncIterable<JsonObject>): Promise<void> {
  const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no" };
  response.writeHead(200, headers).flushHeaders();
  const keepAlive = setInterval(() => response.write(": keep-alive\n\n"), keepAliveInterval);
  response.on("close", () => clearInterval(keepAlive));
  for await (const event of events) {
    if (response.writableLength > maxUnread) response.destroy();
    if (!response.destroyed) response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

function rpcError(code: number, message: string): JsonObject {
  return { jsonrpc: "2.0", id: null, error: { code, message } };
}

/** Tells whether a browser sends the request for a page of another host. */
function isCrossOrigin({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const { origin, host } = headers;
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
}
