import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";

import type { Definition } from "../tool.ts";
import { ModelClient, ModelError, type ModelConfig } from "./client.ts";

const signal = new AbortController().signal;

/** Asks a model that answers with the function, and returns the answer and the text that was written. */
async function ask(
  t: TestContext,
  answer: (response: ServerResponse, attempt: number) => void,
  config: Partial<ModelConfig> = {},
  tools: Definition[] = [],
) {
  let attempts = 0;
  const server = createServer((_, response) => {
    answer(response, ++attempts);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.close().closeAllConnections();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const settings = { model: "m", timeout: 2_000, maxRetries: 0, ...config } as ModelConfig;
  const client = await ModelClient.create(settings, { baseUrl, apiKey: "k", limitField: "max_tokens" });
  let text = "";
  const completion = await client.complete([], tools, (piece) => (text += piece), signal);
  return { completion, text, attempts };
}

function send(response: ServerResponse, ...deltas: object[]): void {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  for (const delta of deltas) response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
}

function saying(words: RegExp) {
  return (error: unknown) => error instanceof ModelError && words.test(`${error.message} ${String(error.cause)}`);
}

test("calls are told apart with and without an index", async (t) => {
  const call = (id: string, name: string, args: string, index?: number) => ({
    tool_calls: [{ ...(id && { id }), ...(index !== undefined && { index }), function: { name, arguments: args } }],
  });
  for (const [first, second] of [
    [0, 1],
    [undefined, undefined],
    [0, 0],
  ]) {
    const { completion } = await ask(t, (response) => {
      send(response, call("a", "look", '{"x":', first), call("", "", "1}", first), call("b", "listen", "{}", second));
      response.end("data: [DONE]\n\n");
    });
    const found = completion.calls.map(({ name, arguments: args }) => `${name} ${args}`);
    assert.deepEqual(found, ['look {"x":1}', "listen {}"], `${first} ${second}`);
  }
});

test("an answer that breaks off is none", async (t) => {
  const broken = ask(t, (response) => {
    send(response, { content: "begun" });
    response.end();
  });
  await assert.rejects(broken, saying(/broke off/));
});

test("silence ends a request, and the pause before another attempt is none", async (t) => {
  const silent = ask(
    t,
    (response) => {
      send(response, { content: "begun" });
    },
    { timeout: 100 },
  );
  await assert.rejects(silent, saying(/did not answer within 100ms/));
  const { text, attempts } = await ask(
    t,
    (response, attempt) => {
      if (attempt === 1) response.writeHead(500).end();
      else {
        send(response, { content: "hello" });
        response.end("data: [DONE]\n\n");
      }
    },
    { maxRetries: 1, timeout: 400 },
  );
  assert.deepEqual([text, attempts], ["hello", 2]);
});

test("a refusal names the tool that it is about, and hides what the server wrote", async (t) => {
  const tool = (name: string) => ({ name, description: "", schema: { type: "object" } });
  const refused = ask(
    t,
    (response) => {
      const error = {
        message: "bad schema for secret-text",
        type: "invalid_request_error",
        param: "tools[1].function",
      };
      response.writeHead(400, { "Content-Type": "application/json" }).end(JSON.stringify({ error }));
    },
    {},
    [tool("good"), tool("alpha__bad")],
  );
  await assert.rejects(refused, (error: Error) => {
    const words = `${error.message} ${String(error.cause)}`;
    return (
      /refused the request \(HTTP 400\)/.test(words) && words.includes("alpha__bad") && !words.includes("secret-text")
    );
  });
});
