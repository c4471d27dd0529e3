import assert from "node:assert/strict";
import { test } from "node:test";

import { Executor, type Responder } from "../agent/executor.ts";
import { pause } from "../environment.ts";
import { isObject, type JsonObject } from "../json.ts";
import { createLogger, PublicError } from "../log.ts";
import { isOwnNetwork } from "./push.ts";
import { Rpc } from "./rpc.ts";
import type { TaskConfig } from "./server.ts";
import { MemoryTaskStore } from "./tasks.ts";

const logger = createLogger(() => undefined, false);
const limits = { maxCompletedTasks: 100, maxFailedTasks: 100, maxBytes: 1e6, maxWaitingBytes: 1e6 };

/** Answers "echo", asks back, fails, or waits for ever, as the text says. */
const responder: Responder = {
  async respond({ text }, write, signal) {
    if (text === "ask") return { question: "what?" };
    if (text === "fail") throw new PublicError("no luck");
    if (text === "crash") throw new Error("secret");
    if (text === "wait") await pause(Infinity, signal);
    write("echo ");
    write(text);
    return {};
  },
  forget: () => undefined,
};

function agent(config: Partial<TaskConfig> = {}) {
  const executor = new Executor(responder, logger);
  const store = new MemoryTaskStore({ ...limits, ...config });
  store.recordStates = true;
  const rpc = new Rpc({ capabilities: { streaming: true } }, store, executor, logger);
  const call = async (method: string, params: unknown, version = "1.0"): Promise<JsonObject> => {
    const answer = await rpc.answer(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), version);
    if (!(Symbol.asyncIterator in answer)) return answer;
    const events = [];
    for await (const event of answer) events.push(event);
    return { events };
  };
  const send = async (text: string, more: object = {}, configuration?: object) => {
    const message = { messageId: `${Math.random()}`, role: "ROLE_USER", parts: [{ text }], ...more };
    const response = await call("SendMessage", { message, configuration });
    return (isObject(response["result"]) ? response["result"]["task"] : response) as Record<string, never> & {
      id: string;
      contextId: string;
      status: { state: string; message?: { parts: { text: string }[] } };
      artifacts: { parts: { text: string }[] }[];
      metadata: { stateTransitions: unknown[] };
      error: { code: number };
    };
  };
  return { rpc, call, send, executor };
}

function codeOf(response: JsonObject): unknown {
  return (response["error"] as JsonObject | undefined)?.["code"];
}

test("what is no request, or has wrong parameters, is refused with the code of the protocol", async () => {
  const { rpc, call } = agent();
  const code = async (body: string) => codeOf((await rpc.answer(body, "1.0")) as JsonObject);
  assert.equal(await code("{"), -32700);
  for (const body of [
    "[]",
    "null",
    "{}",
    '{"jsonrpc":"2.0","method":1}',
    '{"jsonrpc":"2.0","method":"GetTask","id":{}}',
  ]) {
    assert.equal(await code(body), -32600, body);
  }
  assert.equal(await code(`${"[".repeat(101)}${"]".repeat(101)}`), -32600);
  const parts = [{ text: "x" }];
  for (const params of [
    undefined,
    null,
    [],
    "x",
    {},
    { message: null },
    { message: { messageId: "1", role: "ROLE_USER" } },
    { message: { messageId: "1", role: "ROLE_USER", parts: [null] } },
    { message: { messageId: "1", role: "nobody", parts } },
    { message: { role: "ROLE_USER", parts } },
  ]) {
    assert.equal(codeOf(await call("SendMessage", params)), -32602, JSON.stringify(params));
  }
  for (const [method, version] of [
    ["message/send", "0.3"],
    ["tasks/get", ""],
  ] as const) {
    assert.equal(codeOf(await call(method, "x", version)), -32602, method);
  }
  assert.equal(codeOf(await call("GetTask", { id: "x" })), -32001);
  assert.equal(codeOf(await call("NoSuchMethod", {})), -32601);
  assert.equal(codeOf(await call("GetTask", {}, "7.0")), -32009);
  assert.equal(codeOf(await call("ListTasks", {})), -32602);
});

test("a task is answered, asks back, fails and keeps its states", async () => {
  const { send, call } = agent();
  const done = await send("hello");
  assert.deepEqual(done.artifacts[0]?.parts, [{ text: "echo hello" }]);
  assert.equal(done.metadata.stateTransitions.length, 3);
  const waiting = await send("ask");
  assert.equal(waiting.status.state, "TASK_STATE_INPUT_REQUIRED");
  const continued = await send("that", { taskId: waiting.id, contextId: waiting.contextId });
  assert.equal(continued.status.state, "TASK_STATE_COMPLETED");
  assert.equal((await send("fail")).status.message?.parts[0]?.text, "no luck");
  assert.equal((await send("crash")).status.message?.parts[0]?.text, "the agent failed unexpectedly");
  const list = await call("ListTasks", { contextId: done.contextId });
  assert.equal((list["result"] as { totalSize: number }).totalSize, 1);
});

test("a working task takes no second message, and can be canceled", async () => {
  const { send, call } = agent();
  const { id } = await send("wait", {}, { returnImmediately: true });
  assert.equal((await send("more", { taskId: id })).error.code, -32004);
  const canceled = (await call("CancelTask", { id }))["result"] as { status: { state: string } };
  assert.equal(canceled.status.state, "TASK_STATE_CANCELED");
  const waiting = await send("ask");
  assert.equal(codeOf(await call("CancelTask", { id: waiting.id })), undefined);
  assert.equal((await send("more", { taskId: waiting.id })).error.code, -32004);
});

test("the end of the agent fails a running task with words", async () => {
  const { call, executor } = agent();
  const message = { messageId: "1", role: "ROLE_USER", parts: [{ text: "wait" }] };
  const running = call("SendStreamingMessage", { message });
  await pause(20);
  await executor.drain(10);
  const text = JSON.stringify(await running);
  assert.match(text, /TASK_STATE_FAILED.*the agent is shutting down/);
});

test("tasks leave by number and by size, the oldest first", async () => {
  for (const config of [{ maxCompletedTasks: 2 }, { maxBytes: 6_000 }]) {
    const { send, call } = agent(config);
    const tasks = [];
    for (let i = 0; i < 4; i++) tasks.push(await send("x".repeat(1_000)));
    const gone = await Promise.all(tasks.map(async ({ id }) => codeOf(await call("GetTask", { id })) === -32001));
    assert.deepEqual([gone[0], gone[3]], [true, false], JSON.stringify(config));
  }
});

test("web hooks cannot reach the agent's own network", () => {
  for (const own of [
    "127.0.0.1",
    "10.1.2.3",
    "192.168.0.1",
    "169.254.169.254",
    "::1",
    "::",
    "fd00::1",
    "::ffff:127.0.0.1",
  ]) {
    assert.ok(isOwnNetwork(own), own);
  }
  for (const other of ["1.1.1.1", "172.15.0.1", "2606:4700::1111"]) assert.ok(!isOwnNetwork(other), other);
});
