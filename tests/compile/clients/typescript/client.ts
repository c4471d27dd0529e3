/**
 * Drives the official TypeScript A2A client for the tests.
 *
 * One JSON command a line on standard input, one JSON answer a line on standard output. The first argument is the agent's base
 * URL, the second the protocol to speak, 0.3 or 1.0.
 */

import { createInterface } from "node:readline";

import { SendMessageRequest, TaskState } from "@a2a-js/sdk";
import type { Part, StreamResponse, Task, TaskStatus } from "@a2a-js/sdk";
import { AgentCardResolver, ClientFactory, JsonRpcTransportFactory } from "@a2a-js/sdk/client";

interface Command {
  readonly do: "send" | "begin" | "stream" | "get" | "cancel";
  readonly text?: string;
  readonly task?: string;
  readonly context?: string;
}

const [base = "", version = ""] = process.argv.slice(2);
const card = await AgentCardResolver.default.resolve(base);
card.supportedInterfaces = card.supportedInterfaces.filter((offered) => offered.protocolVersion.startsWith(version));
if (card.supportedInterfaces.length === 0) throw new Error(`the card offers no interface of version ${version}`);
const transports = [new JsonRpcTransportFactory({ legacyCompat: { enabled: true } })];
const client = await new ClientFactory({ transports }).createFromAgentCard(card);

function textOf(parts: readonly Part[]): string {
  return parts.map(({ content }) => (content?.$case === "text" ? content.value : "")).join("");
}

/** The task as the client sees it after a command. */
class Answer {
  task = "";
  context = "";
  state = "";
  text = "";
  message = "";
  readonly states: string[] = [];
  error: string | undefined;

  add({ payload }: StreamResponse): void {
    if (payload?.$case === "task") this.addTask(payload.value);
    if (payload?.$case === "statusUpdate") this.addStatus(payload.value.status);
    if (payload?.$case === "artifactUpdate") this.text += textOf(payload.value.artifact?.parts ?? []);
    if (payload?.$case === "message") this.message = textOf(payload.value.parts);
  }

  addTask({ id, contextId, artifacts, status }: Task): void {
    this.task = id;
    this.context = contextId;
    this.text = artifacts.map(({ parts }) => textOf(parts)).join("");
    this.addStatus(status);
  }

  /** The state has its name of protocol 0.3, such as input-required. */
  addStatus(status: TaskStatus | undefined): void {
    if (status === undefined) return;
    this.state = TaskState[status.state].replace("TASK_STATE_", "").toLowerCase().replaceAll("_", "-");
    this.states.push(this.state);
    if (status.message !== undefined) this.message = textOf(status.message.parts);
  }
}

async function answerTo(command: Command, number: number): Promise<Answer> {
  const answer = new Answer();
  const { text, task: id = "", context: contextId = "" } = command;
  const message = { messageId: `message-${number}`, role: "ROLE_USER", parts: [{ text }], taskId: id, contextId };
  const request = SendMessageRequest.fromJSON({
    message,
    configuration: { returnImmediately: command.do === "begin" },
  });
  try {
    if (command.do === "stream") {
      for await (const event of client.sendMessageStream(request)) answer.add(event);
    } else if (command.do === "get") {
      answer.addTask(await client.getTask({ id, tenant: "", historyLength: undefined }));
    } else if (command.do === "cancel") {
      answer.addTask(await client.cancelTask({ id, tenant: "", metadata: undefined }));
    } else {
      const result = await client.sendMessage(request);
      if ("messageId" in result) answer.message = textOf(result.parts);
      else answer.addTask(result);
    }
  } catch (error) {
    answer.error = String(error); // the test judges it
  }
  return answer;
}

let number = 0;
for await (const line of createInterface(process.stdin)) {
  console.log(JSON.stringify(await answerTo(JSON.parse(line) as Command, number++)));
}
