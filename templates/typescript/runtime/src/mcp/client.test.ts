import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";

import { pause } from "../environment.ts";
import type { JsonObject } from "../json.ts";
import { createLogger } from "../log.ts";
import { McpClient } from "./client.ts";
import type { McpConfig } from "./config.ts";

const signal = new AbortController().signal;

/** A server with these tools; `call` answers the calls, and `before` any request, where it returns true. */
interface Script {
  tools?: unknown;
  call?: (args: JsonObject) => unknown;
  page?: (cursor: unknown) => JsonObject;
  before?: (request: IncomingMessage, response: ServerResponse, message: JsonObject) => boolean;
}

async function connect(t: TestContext, script: Script, config: Partial<McpConfig> = {}) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk as string;
      const message = JSON.parse(body || "{}") as JsonObject;
      const { id, method, params } = message as { id?: number; method?: string; params?: JsonObject };
      seen.push(method ?? request.method ?? "");
      if (script.before?.(request, response, message) === true) return;
      const results: Record<string, () => unknown> = {
        initialize: () => ({
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "s", version: "1" },
        }),
        "tools/list": () => script.page?.(params?.["cursor"]) ?? { tools: script.tools ?? [] },
        "tools/call": () => script.call?.(params?.["arguments"] as JsonObject),
      };
      const result = await results[method ?? ""]?.();
      const session = method === "initialize" ? { "Mcp-Session-Id": `session-${seen.length}` } : {};
      response.writeHead(result === undefined ? (method ? 202 : 405) : 200, {
        "Content-Type": "application/json",
        ...session,
      });
      response.end(result === undefined ? "" : JSON.stringify({ jsonrpc: "2.0", id, result }));
    })();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const log: string[] = [];
  const settings = {
    ...{ refreshInterval: 3.6e6, dialTimeout: 2_000, callTimeout: 2_000, retryInterval: 20, retryMaxInterval: 20 },
    ...{ maxRetries: 0, directTools: 40, ...config },
  } as McpConfig;
  const servers = [
    { name: "s", transport: "http" as const, url, headers: { Authorization: "Bearer secret-token" }, secrets: [] },
  ];
  const client = new McpClient(
    servers,
    settings,
    { name: "a", version: "1" },
    [],
    createLogger((line) => log.push(line), true),
  );
  client.start();
  t.after(async () => {
    await client.close();
    server.close().closeAllConnections();
    assert.ok(!log.join().includes("secret-token"));
  });
  const names = () => client.definitions().map(({ name }) => name);
  const until = async (condition: () => boolean) => {
    for (let i = 0; i < 400 && !condition(); i++) await pause(5);
    assert.ok(condition(), log.join(""));
  };
  return { client, names, until, seen, log, url };
}

const look = { name: "look", inputSchema: { type: "object" } };

test("odd tools are repaired, or left out and named", async (t) => {
  const odd = { name: "odd", inputSchema: { type: "object", properties: {}, required: null } };
  const bad = { name: "bad", inputSchema: { type: "object", properties: ["a"] } };
  const { names, until, log } = await connect(t, {
    tools: [look, odd, bad, look, null, { ...look, name: "\u202elook" }],
  });
  await until(() => names().includes("s__look"));
  assert.ok(names().includes("s__odd") && !names().includes("s__bad"));
  assert.match(log.join(""), /left out.*"server":"s"|"server":"s".*left out/);
});

test("contents that are not known do not lose the others", async (t) => {
  const content = [{ type: "video" }, { type: "text", text: "seen" }, null];
  const { client, names, until } = await connect(t, { tools: [look], call: () => ({ content }) });
  await until(() => names().includes("s__look"));
  const result = await client.call("s__look", {}, signal);
  assert.match(result?.text ?? "", /video.*\n\nseen/);
});

test("a list that does not end is offered as far as it was read", async (t) => {
  const page = (cursor: unknown) => ({ tools: [look], nextCursor: `${Number(cursor ?? 0) + 1}` });
  const { names, until, seen, log } = await connect(t, { page });
  await until(() => names().includes("s__look"));
  assert.equal(seen.filter((method) => method === "tools/list").length, 2);
  assert.match(log.join(""), /repeats a page/);
});

test("a lost session is replaced within the call, whatever the server answers", async (t) => {
  const error = { code: -32000, message: "Bad Request: No valid session ID provided" };
  const json = { "Content-Type": "application/json" };
  for (const refuse of [
    (response: ServerResponse) => response.writeHead(404).end(),
    (response: ServerResponse, id: unknown) =>
      response.writeHead(404, json).end(JSON.stringify({ jsonrpc: "2.0", id, error })),
    (response: ServerResponse) =>
      response.writeHead(400, json).end(JSON.stringify({ jsonrpc: "2.0", id: null, error })),
  ]) {
    let lost = false;
    const { client, names, until } = await connect(t, {
      tools: [look],
      call: () => ({ content: [{ type: "text", text: "looked" }] }),
      before(_, response, { id, method }) {
        if (method === "initialize") lost = false;
        if (lost) refuse(response, id);
        return lost;
      },
    });
    await until(() => names().includes("s__look"));
    lost = true;
    assert.deepEqual(await client.call("s__look", {}, signal), { text: "looked", isError: false });
  }
});

test("another 400 that speaks of a session is an answer", async (t) => {
  const error = { code: -32602, message: "the argument session is invalid" };
  const { client, names, until, seen } = await connect(t, {
    tools: [look],
    before(_, response, { id, method }) {
      if (method !== "tools/call") return false;
      response
        .writeHead(400, { "Content-Type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, error }));
      return true;
    },
  });
  await until(() => names().includes("s__look"));
  assert.equal((await client.call("s__look", {}, signal))?.isError, true);
  assert.equal(seen.filter((method) => method === "initialize").length, 1);
});

test("a redirect to another origin is not followed and named", async (t) => {
  const asked: string[] = [];
  const other = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end();
  });
  await once(other.listen(0, "127.0.0.1"), "listening");
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const { until, log } = await connect(t, {
    before(_, response) {
      response.writeHead(307, { Location: `http://127.0.0.1:${port}/elsewhere` }).end();
      return true;
    },
  });
  await until(() => log.join("").includes("not reachable"));
  assert.match(log.join(""), /[Rr]edirect to/);
  assert.deepEqual(asked, []);
});

test("a refresh that is not answered does not end a running call", async (t) => {
  let calls = 0;
  const { client, names, until } = await connect(
    t,
    {
      tools: [look],
      async call() {
        calls++;
        await pause(400);
        calls--;
        return { content: [{ type: "text", text: "looked" }] };
      },
      // One request at a time: what is asked during a call is not answered.
      before: (_, _response, { method }) => method === "tools/list" && calls > 0,
    },
    { refreshInterval: 50, dialTimeout: 100 },
  );
  await until(() => names().includes("s__look"));
  assert.deepEqual(await client.call("s__look", {}, signal), { text: "looked", isError: false });
});
