import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  createServer as createHttpServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer, request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";

import { boolean, duration, formatDuration, integer, pause, text, type Values } from "../environment.ts";
import { describe, type Logger } from "../log.ts";
import type { JsonObject } from "../json.ts";

/** The variables of the HTTP server. */
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

/** The settings of the HTTP server. */
export type ServerConfig = Values<typeof serverVariables>;

/** The variables of the tasks that are kept. */
export const taskVariables = {
  maxCompletedTasks: integer("A2A_TASK_RETENTION_MAX_COMPLETED_TASKS"),
  maxFailedTasks: integer("A2A_TASK_RETENTION_MAX_FAILED_TASKS"),
  maxBytes: integer("A2A_TASK_RETENTION_MAX_BYTES"),
  maxWaitingBytes: integer("A2A_TASK_RETENTION_MAX_WAITING_BYTES"),
};

/** How many tasks are kept. */
export type TaskConfig = Values<typeof taskVariables>;

/** The variables of the optional parts of the A2A protocol. */
export const capabilityVariables = {
  streaming: boolean("A2A_CAPABILITIES_STREAMING"),
  //adl:if push
  pushNotifications: boolean("A2A_CAPABILITIES_PUSH_NOTIFICATIONS"),
  //adl:end
  //adl:if history
  stateTransitionHistory: boolean("A2A_CAPABILITIES_STATE_TRANSITION_HISTORY"),
  //adl:end
};

/** The optional parts of the A2A protocol that are switched on. */
export type CapabilityConfig = Values<typeof capabilityVariables>;

/** Says what is wrong with the settings. */
export function checkServer(config: ServerConfig): string[] {
  const problems: string[] = [];
  const { agentUrl, port, tlsEnabled, tlsCertPath, tlsKeyPath } = serverVariables;
  if (config.agentUrl !== "" && !isBaseUrl(config.agentUrl)) {
    problems.push(`${agentUrl.name}: must be an http or https URL without user name, query and fragment`);
  }
  if (config.port > 65535) problems.push(`${port.name}: ${config.port} is above 65535`);
  if (config.tlsEnabled && config.tlsCertPath === "") {
    problems.push(`${tlsCertPath.name}: must be set while ${tlsEnabled.name} is true`);
  }
  if (config.tlsEnabled && config.tlsKeyPath === "") {
    problems.push(`${tlsKeyPath.name}: must be set while ${tlsEnabled.name} is true`);
  }
  return problems;
}

/** Tells whether paths can be appended to the address, and whether it can be published. */
function isBaseUrl(address: string): boolean {
  return /^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/i.test(address) && URL.canParse(address);
}

/** Bounds the time to the end of a request's headers. */
const headersTimeout = 10_000;

/** How long streams may take to send their last event once the time for running tasks is over. */
const shutdownGrace = 2_000;

/** How often a quiet stream shows proxies that it is alive. */
const keepAliveInterval = 15_000;

/** How much of a stream may wait for a client that reads slowly, in bytes. */
const maxUnread = 16 << 20;

/** What the server answers with once the agent is put together. */
export interface Agent {
  readonly card: JsonObject;
  /** Answers the text of a JSON-RPC request of a protocol version. */
  readonly answer: (body: string, version: string) => Promise<JsonObject | AsyncIterable<JsonObject>>;
  /** Waits for running tasks, and ends those that take longer than the limit. */
  readonly drain: (limit: number) => Promise<void>;
  /** Tells whether what the agent depends on was reached. */
  readonly isReady?: () => boolean;
}

/** Asks the agent on this machine whether it runs. */
export function isHealthy(config: ServerConfig): Promise<boolean> {
  const options = {
    host: config.host || "localhost",
    port: config.port,
    path: "/health",
    rejectUnauthorized: false,
  };
  return new Promise((resolve) => {
    const request = config.tlsEnabled ? httpsRequest(options) : httpRequest(options);
    request.setTimeout(5_000, () => request.destroy());
    request.on("error", () => {
      resolve(false);
    });
    request.on("response", (response) => {
      resolve(response.statusCode === 200);
      response.resume();
    });
    request.end();
  });
}

/** Takes HTTP requests to the agent. It listens, and answers `/health`, before there is an agent. */
export class AgentServer {
  readonly #config: ServerConfig;
  readonly #logger: Logger;
  readonly #server: Server;
  #agent: Agent | undefined;
  #card = "";
  #stopping = false;

  private constructor(config: ServerConfig, logger: Logger) {
    this.#config = config;
    this.#logger = logger;
    const options = {
      headersTimeout,
      requestTimeout: config.readTimeout,
      keepAliveTimeout: config.idleTimeout,
    };
    this.#server = config.tlsEnabled
      ? createHttpsServer({
          ...options,
          cert: readFileSync(config.tlsCertPath),
          key: readFileSync(config.tlsKeyPath),
        })
      : createHttpServer(options);
    this.#server.on("request", (request, response) => void this.#serve(request, response));
  }

  /** Opens the port. An error names the variable to look at. */
  static async listen(config: ServerConfig, logger: Logger): Promise<AgentServer> {
    const { host, port, tlsCertPath, tlsKeyPath } = serverVariables;
    let server: AgentServer;
    try {
      server = new AgentServer(config, logger);
    } catch (error) {
      throw new Error(`${tlsCertPath.name}, ${tlsKeyPath.name}: ${describe(error)}`, { cause: error });
    }
    return new Promise((resolve, reject) => {
      const refused = (error: Error) => {
        reject(new Error(`${host.name}, ${port.name}: ${error.message}`));
      };
      server.#server.once("error", refused).listen(config.port, config.host || undefined, () => {
        server.#server.off("error", refused);
        resolve(server);
      });
    });
  }

  /** The address that clients use: the one in the settings, else this machine's. */
  baseUrl(scheme: string): string {
    const { port } = this.#server.address() as AddressInfo;
    return this.#config.agentUrl || `${this.#config.tlsEnabled ? "https" : scheme}://localhost:${port}`;
  }

  /** Answers requests from now on. */
  start(agent: Agent): void {
    this.#card = JSON.stringify(agent.card, undefined, 2);
    this.#agent = agent;
    const { address, port, family } = this.#server.address() as AddressInfo;
    const host = family === "IPv6" ? `[${address}]` : address;
    this.#logger.info("agent listening", { address: `${host}:${port}`, url: agent.card["url"] });
  }

  /** Closes the port at once, and every connection as soon as its request is answered. */
  async close(): Promise<void> {
    this.#stopping = true;
    const limit = this.#config.shutdownTimeout;
    this.#logger.info("agent stopping", { limit: formatDuration(limit) });
    let open = true;
    this.#server.close(() => (open = false));
    const sweep = setInterval(() => {
      this.#server.closeIdleConnections();
    }, 5);
    await this.#agent?.drain(limit);
    for (const end = performance.now() + shutdownGrace; isOpen() && performance.now() < end;) await pause(5);
    clearInterval(sweep);
    if (isOpen()) {
      this.#logger.warn("connections were cut off");
      this.#server.closeAllConnections();
    }

    function isOpen() {
      return open;
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const begun = performance.now();
    const path = (request.url ?? "").split("?")[0] ?? "";
    response.on("close", () => {
      if (path === "/health" && this.#config.disableHealthcheckLog) return;
      const { method } = request;
      const duration = formatDuration(Math.round((performance.now() - begun) * 1e3) / 1e3);
      this.#logger.info("request", { method, path, status: response.statusCode, duration });
    });
    try {
      await this.#route(path, request, response);
    } catch (error) {
      if (request.destroyed && !request.complete) return; // the client went away, or took too long
      this.#logger.error("request failed", { path, error: describe(error) });
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, rpcError(-32603, "internal error"));
    }
  }

  async #route(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
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
      const isReady = this.#agent !== undefined && !this.#stopping && this.#agent.isReady?.() !== false;
      sendJson(response, isReady ? 200 : 503, { status: isReady ? "ready" : "not ready" });
    } else if (this.#agent === undefined) {
      response.setHeader("Retry-After", "1");
      sendJson(response, 503, rpcError(-32603, "the agent is starting"));
    } else if (isRpc) {
      await this.#answer(this.#agent, request, response);
    } else {
      this.#sendCard(request, response);
    }
  }

  /** The card may be read by anybody, from any page, and be kept for a while. */
  #sendCard(request: IncomingMessage, response: ServerResponse): void {
    const tag = `"${createHash("sha256").update(this.#card).digest("hex").slice(0, 16)}"`;
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
  async #answer(agent: Agent, request: IncomingMessage, response: ServerResponse): Promise<void> {
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
    const answer = await agent.answer(body, String(request.headers["a2a-version"] ?? ""));
    if (Symbol.asyncIterator in answer) await sendEvents(response, answer);
    else sendJson(response, 200, answer);
  }
}

/** Reads a body; undefined when it is too large. */
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
  response.writeHead(200, {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache",
    "X-Accel-Buffering": "no",
  });
  response.flushHeaders();
  const keepAlive = setInterval(() => response.write(": keep-alive\n\n"), keepAliveInterval);
  response.on("close", () => {
    clearInterval(keepAlive);
  });
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
