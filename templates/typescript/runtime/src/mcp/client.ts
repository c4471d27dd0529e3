/**
 * Connects the agent to MCP servers and offers their tools to the model.
 *
 * Each server is kept connected by a supervisor of its own: a server may be down, come late, restart or lose its sessions at any
 * time, and the agent goes on answering meanwhile. The tools of all servers make up one catalogue, which follows what the
 * servers announce.
 */

import { pause } from "../environment.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Logger } from "../log.ts";
import { failed, type Definition, type Result, type Source } from "../tool.ts";
import { nameTools, type ServerTool } from "./content.ts";
import type { McpConfig, ServerConfig } from "./config.ts";
import { Supervisor } from "./server.ts";
import type { AgentName } from "./session.ts";

const shutdownGrace = 2_000;

/** Bounds the definitions in one answer of the tool that lists tools, in characters. */
const maxListed = 256 << 10;

interface Entry {
  readonly supervisor: Supervisor;
  readonly server: string;
  readonly tool: ServerTool;
}

export class McpClient implements Source {
  readonly #config: McpConfig;
  readonly #supervisors: readonly Supervisor[];
  readonly #reserved: ReadonlySet<string>;
  /** An own tool of the agent that has the name of one of them wins. */
  readonly #selectors: readonly Definition[];
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  /** By server in the order of configuration, then by name. */
  #entries: readonly Entry[] = [];
  #byName: ReadonlyMap<string, Entry> = new Map();
  #offered: readonly Definition[] = [];

  /** No tool takes one of the reserved names. */
  constructor(
    servers: readonly ServerConfig[],
    config: McpConfig,
    agent: AgentName,
    reserved: readonly string[],
    logger: Logger,
  ) {
    this.#config = config;
    const changed = () => this.#rebuild();
    this.#supervisors = servers.map((server) => new Supervisor(server, config, agent, logger, changed));
    this.#selectors = [listTools, callTool].filter(({ name }) => !reserved.includes(name));
    this.#reserved = new Set([...reserved, listTools.name, callTool.name]);
    this.#rebuild();
  }

  start(): void {
    // The first request loads the library that sends all; that time is not to count as one that a server took.
    this.#running = fetch("data:,").then(() => Promise.all(this.#supervisors.map((one) => one.run(this.#stop.signal))));
  }

  /** Ends all sessions, within a limit. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.race([this.#running, pause(shutdownGrace)]);
  }

  /** Whether a server has been connected, or none is left to wait for. */
  get isReady(): boolean {
    const servers = this.#supervisors;
    return servers.some((one) => one.wasConnected) || servers.every((one) => one.state === "given up");
  }

  /** Every tool and the selectors, or the selectors alone when there are many tools. The order is stable. */
  definitions(): readonly Definition[] {
    return this.#offered;
  }

  async call(name: string, args: unknown, signal: AbortSignal): Promise<Result | undefined> {
    const entry = this.#byName.get(name);
    if (entry !== undefined) return entry.supervisor.call(entry.tool.name, args, signal);
    if (!this.#selectors.some((selector) => selector.name === name)) return undefined;
    if (!isObject(args)) return failed("the arguments must be a JSON object");
    return name === listTools.name ? this.#listTools(args) : this.#callTool(args, signal);
  }

  /** Makes the catalogue anew from what the servers offer now. */
  #rebuild(): void {
    this.#entries = this.#supervisors.flatMap((supervisor) =>
      supervisor.tools.map((tool) => ({ supervisor, server: supervisor.name, tool })),
    );
    this.#byName = nameTools(this.#entries, this.#reserved);
    const names = new Map([...this.#byName].map(([name, entry]) => [entry, name]));
    const direct = this.#entries.length <= this.#config.directTools ? this.#entries : [];
    this.#offered = [...direct.map((entry) => ({ ...entry.tool, name: names.get(entry) ?? "" })), ...this.#selectors];
  }

  #listTools({ search, server }: JsonObject): Result {
    const servers = this.#supervisors.filter(({ name }) => !isGiven(server) || name === server);
    if (servers.length === 0) {
      const names = this.#supervisors.map(({ name }) => name).join(", ");
      return failed(`there is no MCP server ${JSON.stringify(server)}; the servers are: ${names}`);
    }
    const words = isGiven(search) ? search.toLowerCase().split(/\s+/) : [];
    const matching = this.#entries.filter(({ supervisor, server, tool }) => {
      const text = `${server} ${tool.name} ${tool.description}`.toLowerCase();
      return servers.includes(supervisor) && words.every((word) => text.includes(word));
    });
    let size = 0;
    const listed = matching
      .map(({ server, tool: { name, description, schema } }) => ({ server, name, description, input_schema: schema }))
      .filter((tool) => (size += JSON.stringify(tool).length) <= maxListed);
    const away = servers.filter(({ state }) => state !== "connected").map(({ name }) => name);
    const note = `only ${listed.length} of ${matching.length} tools are listed; narrow the search`;
    const list = {
      count: matching.length,
      tools: listed,
      ...(away.length > 0 && { servers_not_connected: away }),
      ...(listed.length < matching.length && { note }),
    };
    return { text: JSON.stringify(list), isError: false };
  }

  #callTool({ name, server, arguments: args }: JsonObject, signal: AbortSignal): Promise<Result> | Result {
    if (!isGiven(name)) return failed('the argument "name" is missing');
    const onServer = (entry: Entry) => !isGiven(server) || entry.server === server;
    // The name that the server gave the tool, or else the name that the model knows it by.
    const matches = this.#entries.filter((entry) => entry.tool.name === name && onServer(entry));
    const known = this.#byName.get(name);
    if (matches.length === 0 && known !== undefined && onServer(known)) matches.push(known);
    const [match, ...others] = matches;
    if (match === undefined) {
      const where = isGiven(server) ? ` on server ${JSON.stringify(server)}` : "";
      return failed(`there is no MCP tool ${JSON.stringify(name)}${where}; see ${listTools.name}`);
    }
    if (others.length > 0) {
      const servers = matches.map((entry) => entry.server).join(", ");
      return failed(`several MCP servers have a tool ${JSON.stringify(name)}, so say which: ${servers}`);
    }
    return match.supervisor.call(match.tool.name, unquoted(args), signal);
  }
}

const listTools: Definition = {
  name: "mcp_list_tools",
  description:
    "Lists the tools of the connected MCP servers with their descriptions and input schemas. " +
    "Use it to find a tool for mcp_call_tool.",
  schema: {
    type: "object",
    properties: {
      search: { type: "string", description: "Words that must all appear in the name or description of a tool." },
      server: { type: "string", description: "List the tools of this server alone." },
    },
  },
};

const callTool: Definition = {
  name: "mcp_call_tool",
  description: "Calls a tool of an MCP server, as listed by mcp_list_tools.",
  schema: {
    type: "object",
    properties: {
      name: { type: "string", description: "The name of the tool." },
      server: { type: "string", description: "The server of the tool; needed when several have a tool of that name." },
      arguments: { type: "object", description: "The arguments, after the tool's input schema." },
    },
    required: ["name"],
  },
};

function isGiven(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** Returns the object in a string that holds one: some models write nested arguments so. None at all are an empty one. */
function unquoted(args: unknown): unknown {
  if (typeof args !== "string") return args ?? {};
  try {
    return JSON.parse(args) as unknown;
  } catch {
    return args;
  }
}
