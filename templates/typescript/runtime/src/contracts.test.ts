/** The vectors in `contracts/`, which every run-time reads. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as environment from "./environment.ts";
import { createLogger } from "./log.ts";
import { nameTools, readTools, repairSchema } from "./mcp/content.ts";
import * as mcp from "./mcp/config.ts";
import { Backoff } from "./mcp/server.ts";

interface Case {
  readonly [field: string]: unknown;
  readonly fault?: string;
  readonly refused?: boolean;
}

function cases<T extends Case>(name: string): T[] {
  const path = new URL(`../../../../contracts/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(path, "utf8")) as { cases: T[] }).cases;
}

const logger = createLogger(() => undefined, false);

function lookupIn(variables: Readonly<Record<string, string>>): environment.Lookup {
  return (name) => variables[name];
}

test("durations are read and printed as agreed", () => {
  for (const one of cases<{ text: string; nanoseconds?: string; printed?: string }>("durations")) {
    const found = environment.parseNanoseconds(one.text);
    assert.equal(found?.toString(), one.nanoseconds, one.text);
    if (found !== undefined) assert.equal(environment.formatNanoseconds(found), one.printed);
  }
});

test("values of the environment are read as agreed", () => {
  const config = { servers: "", endpoint: "/mcp", headers: "" } as mcp.McpConfig;
  const kinds: Record<string, (text: string) => unknown> = {
    boolean: environment.boolean("X").parse,
    integer: environment.integer("X").parse,
    "optional-integer": (text) => environment.optionalInteger("X").parse(text) ?? null,
    "optional-number": (text) => environment.optionalNumber("X").parse(text) ?? null,
    duration: (text) => String(environment.duration("X").parse(text) * 1e6),
    text: environment.text("X").parse,
    list: (text) =>
      mcp
        .resolveServers({ ...config, servers: text, endpoint: "" }, [], ["http"], lookupIn({}), logger)
        .map(({ url }) => url),
    pairs: (text) => mcp.parseHeaders(text, lookupIn({})),
  };
  for (const one of cases<{ kind: string; text: string; value?: unknown; refused?: boolean }>("environment")) {
    const parse = () => kinds[one.kind]?.(one.text);
    if (one.refused === true) assert.throws(parse, JSON.stringify(one));
    else assert.deepEqual(parse(), one.value, JSON.stringify(one));
  }
});

test("urls are judged as agreed", () => {
  for (const one of cases<{ url: string; address?: string; manifestOnly?: boolean; fault?: string }>("url")) {
    if (one.manifestOnly === true) continue;
    if (one.fault === undefined) assert.equal(mcp.format(mcp.parseUrl(one.url)), one.address);
    else assert.throws(() => mcp.parseUrl(one.url), one.url);
  }
});

test("endpoints are joined as agreed", () => {
  for (const one of cases<{ url?: string; endpoint: string; address?: string; fault?: string }>("endpoint")) {
    if (one.fault === undefined) {
      const joined = mcp.joinEndpoint(mcp.parseUrl(one.url ?? ""), mcp.normaliseEndpoint(one.endpoint));
      assert.equal(mcp.format(joined), one.address);
    } else assert.throws(() => mcp.normaliseEndpoint(one.endpoint), one.endpoint);
  }
});

test("references are filled in as agreed", () => {
  type Reference = { text: string; variables: Record<string, string>; expanded?: string; missing?: string };
  for (const one of cases<Reference>("references")) {
    const fill = () => mcp.expand(one.text, lookupIn(one.variables), "a place");
    if (one.missing === undefined) assert.equal(fill(), one.expanded);
    else assert.throws(fill, new RegExp(`^Error: ${one.missing}: .*a place`));
  }
});

test("servers are named as agreed", () => {
  for (const one of cases<{ url: string; name: string }>("server-names")) {
    const address = mcp.joinEndpoint(mcp.parseUrl(one.url), "/mcp");
    assert.equal(mcp.nameServer(address, "/mcp", []), one.name);
  }
});

test("tools are named as agreed", () => {
  type Names = { reserved: string[]; tools: { server: string; tool: string; name: string }[] };
  for (const one of cases<Names>("tool-names")) {
    const entries = one.tools.map(({ server, tool, name }) => ({
      server,
      tool: { name: tool },
      expected: name,
    }));
    for (const order of [entries, entries.toReversed()]) {
      for (const [name, entry] of nameTools(order, new Set(one.reserved))) assert.equal(name, entry.expected);
    }
  }
});

test("schemas of tools are repaired as agreed", () => {
  for (const one of cases<{ about: string; schema: unknown; repaired?: object; leftOut?: boolean }>("tool-schemas")) {
    assert.deepEqual(repairSchema(one.schema), one.repaired, one.about);
    const { tools, leftOut } = readTools([{ name: "tool", inputSchema: one.schema }]);
    assert.deepEqual([tools.length, leftOut], one.leftOut === true ? [0, ["tool"]] : [1, []], one.about);
  }
});

test("pauses between attempts are as agreed", () => {
  type Retry = {
    about: string;
    retryInterval: string;
    retryMaxInterval?: string;
    maxRetries: number;
    attempts?: ("fail" | "succeed")[];
    pauses?: string[];
    givenUp?: boolean;
    refused?: boolean;
  };
  for (const one of cases<Retry>("retry")) {
    const read = environment.duration("X").parse;
    const written = one.retryMaxInterval;
    const config = {
      retryInterval: read(one.retryInterval),
      retryMaxInterval: read(written ?? "30s"),
      maxRetries: one.maxRetries,
    } as mcp.McpConfig;
    const problems = mcp.checkMcp(config, lookupIn({}), written !== undefined);
    assert.equal(problems.length, one.refused === true ? 1 : 0, one.about);
    if (one.refused === true) continue;
    const backoff = new Backoff(config);
    const pauses: (number | undefined)[] = [];
    for (const attempt of one.attempts ?? []) {
      if (attempt === "fail") pauses.push(backoff.fail());
      else backoff.succeed();
    }
    const expected: (number | undefined)[] = (one.pauses ?? []).map(read);
    assert.deepEqual(pauses, one.givenUp === true ? [...expected, undefined] : expected, one.about);
  }
});
