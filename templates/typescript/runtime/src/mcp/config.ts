/** From variables to MCP servers. */

import {
  boolean,
  duration,
  formatDuration,
  integer,
  shortHash,
  text,
  type Lookup,
  type Values,
} from "../environment.ts";
import { describe, type Logger } from "../log.ts";

/** The variables of the MCP client. */
export const mcpVariables = {
  enabled: boolean("A2A_MCP_ENABLED"),
  servers: text("A2A_MCP_SERVERS"),
  endpoint: text("A2A_MCP_ENDPOINT"),
  refreshInterval: duration("A2A_MCP_REFRESH_INTERVAL"),
  dialTimeout: duration("A2A_MCP_DIAL_TIMEOUT"),
  callTimeout: duration("A2A_MCP_CALL_TIMEOUT"),
  maxRetries: integer("A2A_MCP_MAX_RETRIES"),
  retryInterval: duration("A2A_MCP_RETRY_INTERVAL"),
  retryMaxInterval: duration("A2A_MCP_RETRY_MAX_INTERVAL"),
  headers: text("A2A_MCP_HEADERS"),
  directTools: integer("A2A_MCP_DIRECT_TOOLS"),
};

/** The settings of the MCP client. */
export type McpConfig = Values<typeof mcpVariables>;

/**
 * Settles the two retry pauses: a longest pause that somebody wrote must hold the first one, a default one rises to it.
 * `written` says whether the manifest sets the longest pause.
 */
export function checkMcp(config: McpConfig, lookup: Lookup, written: boolean): string[] {
  if (config.retryInterval <= config.retryMaxInterval) return [];
  const { retryInterval, retryMaxInterval } = mcpVariables;
  if (written || lookup(retryMaxInterval.name) !== undefined) {
    const [first, longest] = [formatDuration(config.retryInterval), formatDuration(config.retryMaxInterval)];
    return [`${retryInterval.name}: ${first} is above ${retryMaxInterval.name}, which is ${longest}`];
  }
  config.retryMaxInterval = config.retryInterval;
  return [];
}

/** The way in which a server is reached: streamable HTTP, the HTTP transport of 2024, or a command's standard input. */
export type Transport = "http" | "sse" | "stdio";

/** A server as the manifest declares it. Its texts may refer to environment variables as `${NAME}`. */
export interface DeclaredServer {
  readonly name: string;
  readonly transport: Transport;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  //adl:if stdio
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  //adl:end
}

/** A server to connect to. */
export interface ServerConfig extends DeclaredServer {
  readonly url: string; // of a command: empty
  readonly headers: Readonly<Record<string, string>>;
  /** The values of variables in its texts. */
  readonly secrets: readonly string[];
}

/**
 * Computes the servers to connect to: those of A2A_MCP_SERVERS, in that order, then the declared ones that have no url. A url
 * that belongs to a declared server, once both are resolved, keeps the name and headers of that server; any other is named
 * after its host, port and path, so that adding a server never renames another.
 *
 * The error is for whoever starts the agent. It names the variable, the server and the field, and holds no secret.
 */
export function resolveServers(
  config: McpConfig,
  declared: readonly DeclaredServer[],
  transports: readonly Transport[],
  environment: Lookup,
  logger: Logger,
): ServerConfig[] {
  const lookup = warnEmpty(environment, logger);
  const endpoint = labelled(mcpVariables.endpoint.name, () => normaliseEndpoint(config.endpoint));
  const extra: string[] = [];
  const extraHeaders = parseHeaders(config.headers, noting(lookup, extra));
  const unused = declared.filter(({ transport }) => transport !== "stdio");
  const servers: ServerConfig[] = [];

  const locate = (url: string, wanted?: Transport): { transport: Transport; address: Address } => {
    const address = parseUrl(url);
    const isSse = wanted === "sse" || (transports.includes("sse") && endsWith(address.path, "/sse"));
    if (isSse) return { transport: "sse", address };
    if (!transports.includes("http")) throw new Error(`this agent reaches servers over ${transports.join(", ")} only`);
    return { transport: "http", address: joinEndpoint(address, endpoint) };
  };
  const addDeclared = (server: DeclaredServer) => {
    unused.splice(unused.indexOf(server), 1);
    const secrets: string[] = [];
    const variables = noting(lookup, secrets);
    const given = expand(server.url ?? "", variables, fieldOf(server, "url"));
    const place = `${mcpVariables.servers.name}: ${fieldOf(server, "url")}`;
    const { transport, address } = labelled(place, () => locate(given, server.transport));
    const headers = Object.entries(server.headers ?? {}).map(([name, value]) =>
      expandHeader(name, value, variables, fieldOf(server, `headers.${name}`)),
    );
    const { name } = server;
    servers.push({ name, transport, url: format(address), headers: Object.fromEntries(headers), secrets });
  };
  const resolvesTo = (server: DeclaredServer, url: string): boolean => {
    try {
      return format(locate(expand(server.url ?? "", lookup, ""), server.transport).address) === url;
    } catch {
      return false; // it is not asked for, so its variables need not be set
    }
  };

  for (const [index, entry] of config.servers.split(",").entries()) {
    const given = entry.trim();
    if (given === "") continue;
    const secrets = [...extra];
    const place = `${mcpVariables.servers.name}, entry ${index + 1}`;
    // The same text belongs to the declared server whatever its variables are, which makes for the better errors.
    let match = unused.find((server) => server.url === given);
    if (match === undefined) {
      const expanded = expand(given, noting(lookup, secrets), place);
      const { transport, address } = labelled(place, () => locate(expanded));
      const url = format(address);
      match = unused.find((server) => resolvesTo(server, url));
      if (match === undefined && !servers.some((server) => server.url === url)) {
        const taken = [...declared, ...servers].map((server) => server.name);
        servers.push({ name: nameServer(address, endpoint, taken), transport, url, headers: extraHeaders, secrets });
      }
    }
    if (match !== undefined) addDeclared(match);
  }
  //adl:if stdio
  for (const server of declared) if (server.transport === "stdio") servers.push(resolveCommand(server, lookup));
  //adl:end
  if (servers.length === 0) {
    throw new Error(`${mcpVariables.servers.name}: MCP is on, but there is no server to connect to`);
  }
  return servers;
}

function fieldOf(server: DeclaredServer, field: string): string {
  return `MCP server ${JSON.stringify(server.name)}, field ${field}`;
}
//adl:if stdio

/** Fills in the texts of a declared server that is a command. */
function resolveCommand(server: DeclaredServer, lookup: Lookup): ServerConfig {
  const secrets: string[] = [];
  const fill = (value: string, field: string) => expand(value, noting(lookup, secrets), fieldOf(server, field));
  const args = (server.args ?? []).map((argument, index) => fill(argument, `args[${index}]`));
  const env = Object.entries(server.env ?? {}).map(([name, value]) => [name, fill(value, `env.${name}`)] as const);
  return { ...server, url: "", headers: {}, args, env: Object.fromEntries(env), secrets };
}
//adl:end

/** Returns the lookup that warns of every variable that is set but empty, once: a file that was not filled in looks like that. */
function warnEmpty(lookup: Lookup, logger: Logger): Lookup {
  const warned = new Set<string>();
  return (name) => {
    const value = lookup(name);
    if (value === "" && !warned.has(name)) {
      warned.add(name);
      logger.warn("a variable that an MCP server needs is empty", { variable: name });
    }
    return value;
  };
}

/** Returns the lookup that also notes every value it finds. */
function noting(lookup: Lookup, found: string[]): Lookup {
  return (name) => {
    const value = lookup(name);
    if (value !== undefined) found.push(value);
    return value;
  };
}

function labelled<T>(place: string, compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    throw new Error(`${place}: ${describe(error)}`, { cause: error });
  }
}

/** Fills in each `${NAME}`. What is filled in is taken as it is. The error names the variable and the place that needs it. */
export function expand(value: string, lookup: Lookup, place: string): string {
  return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const found = lookup(name);
    if (found === undefined) throw new Error(`${name}: not set, but needed by ${place}`);
    return found;
  });
}

/** Fills in the value of a header and checks that it can be sent. */
function expandHeader(name: string, value: string, lookup: Lookup, place: string): [name: string, value: string] {
  const expanded = expand(value, lookup, place);
  if (!isToken(name)) throw new Error(`${place}: the name of the header is invalid`);

  if (/[^\t\x20-\x7e\x80-\uffff]/.test(expanded)) throw new Error(`${place}: the value contains a control character`);
  return [name, expanded];
}

/**
 * Reads `Header=value` pairs, separated by commas, and fills in the values afterwards, so that a value which is filled in may
 * hold commas.
 */
export function parseHeaders(value: string, lookup: Lookup): Record<string, string> {
  const variable = mcpVariables.headers.name;
  const headers = new Map<string, [string, string]>();
  for (const [index, pair] of value.split(",").entries()) {
    if (pair.trim() === "") continue;
    const [name = "", ...rest] = pair.split("=");
    const trimmed = name.trim();
    if (rest.length === 0 || !isToken(trimmed)) {
      throw new Error(`${variable}: entry ${index + 1} must be of the form Header=value`);
    }
    if (headers.has(trimmed.toLowerCase())) throw new Error(`${variable}: header ${trimmed} is given twice`);
    const header = expandHeader(trimmed, rest.join("=").trim(), lookup, `${variable}, header ${trimmed}`);
    headers.set(trimmed.toLowerCase(), header);
  }
  return Object.fromEntries(headers.values());
}

function isToken(name: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name);
}

/** An http or https address in one form: scheme and host in lower case, no default port, no fragment. */
export interface Address {
  readonly scheme: string;
  readonly user: string; // with the `@` behind it, or empty
  readonly hostname: string;
  readonly port: string; // empty: the scheme's own
  readonly path: string;
  readonly query: string; // with its `?`, or empty
}

const defaultPorts: Readonly<Record<string, string>> = { http: "80", https: "443" };

/** Reads the url of a server. The error does not hold the text, which may be secret. */
export function parseUrl(url: string): Address {
  // eslint-disable-next-line no-control-regex -- these are what a url cannot hold
  if (/[\s\x00-\x20\x7f]/.test(url)) throw new Error("the url contains a space or a control character");
  const parts = /^(https?):\/\/(?:([^/?#]*)@)?([^/?#]*)([^?#]*)(\?[^#]*)?(?:#(.*))?$/i.exec(url);
  if (parts === null) throw new Error("must be an http or https url");
  const [, scheme = "", user, authority = "", path = "", query = "", fragment = ""] = parts;
  if (/%(?![0-9a-f]{2})/i.test((user ?? "") + path + fragment)) throw new Error("the url has an invalid % escape");
  if (/[^\w\-.~!$&'()*+,;=:%]/.test(user ?? "")) throw new Error("the user name in the url is invalid");
  const [, ipv6, name = "", port = ""] = /^(?:\[([^\]]*)\]|([^:[\]<>"\\^`{|}%@]*))(?::(\d*))?$/.exec(authority) ?? [];
  const isHost =
    ipv6 === undefined ? name !== "" : process.getBuiltinModule("node:net").isIPv6(ipv6.replace(/%25.+$/, ""));
  if (!isHost || (port !== "" && (Number(port) < 1 || Number(port) > 65535))) {
    throw new Error("the host or the port of the url is missing or invalid");
  }
  return {
    scheme: scheme.toLowerCase(),
    user: user === undefined ? "" : `${user}@`,
    hostname: ipv6 === undefined ? name.toLowerCase() : `[${ipv6.toLowerCase()}]`,
    port: port === defaultPorts[scheme.toLowerCase()] ? "" : port,
    path: path.replace(/[^\x21-\x7e]+/g, encodeURIComponent),
    query,
  };
}

/** Writes an address as a url. */
export function format({ scheme, user, hostname, port, path, query }: Address): string {
  return `${scheme}://${user}${hostname}${port && `:${port}`}${path}${query}`;
}

/** Returns the endpoint with its leading slash. An empty endpoint is left empty. */
export function normaliseEndpoint(endpoint: string): string {
  // eslint-disable-next-line no-control-regex -- these are what a path cannot hold
  if (/[\s\x00-\x20\x7f]/.test(endpoint)) throw new Error("must not contain spaces or control characters");
  if (/[?#]/.test(endpoint)) throw new Error("must be a path, without `?` and `#`");
  if (/%(?![0-9a-f]{2})/i.test(endpoint)) throw new Error("has an invalid % escape");
  return endpoint === "" || endpoint.startsWith("/") ? endpoint : `/${endpoint}`;
}

/** Appends the endpoint to the path of the address, unless it ends with it already. */
export function joinEndpoint(address: Address, endpoint: string): Address {
  if (endsWith(address.path, endpoint)) return address;
  return { ...address, path: trimSlashes(address.path) + endpoint };
}

/** Tells whether the path ends with the endpoint, not counting slashes at their ends. */
function endsWith(path: string, endpoint: string): boolean {
  const bare = trimSlashes(endpoint);
  return path.endsWith(endpoint) || (bare !== "" && trimSlashes(path).endsWith(bare));
}

function trimSlashes(path: string): string {
  return path.replace(/\/+$/, "");
}

/**
 * Names a server after host, port and path, without the endpoint. A hash of the url is added where the name does not tell the
 * url, or is taken.
 */
export function nameServer(address: Address, endpoint: string, taken: readonly string[]): string {
  const { scheme, hostname, port, query } = address;
  const bare = trimSlashes(endpoint);
  const path = trimSlashes(address.path);
  const rest = bare !== "" && path.endsWith(bare) ? path.slice(0, -bare.length) : path;
  const host = hostname.replace(/^\[|\]$/g, "");
  const words = `${host}:${port || (defaultPorts[scheme] ?? "")}${rest}`.replace(/[.:/]/g, "_");
  const plain = words.replace(/[^A-Za-z0-9_-]/gu, "_").replace(/^_+|_+$/g, "");
  const name = /^[A-Za-z]/.test(plain) ? plain : `mcp_${plain}`; // an address of digits
  if (plain === words && query === "" && !taken.includes(name)) return name;
  return `${name}_${shortHash(format(address))}`;
}
