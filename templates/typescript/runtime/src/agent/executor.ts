import { randomUUID } from "node:crypto";

import { Message, TaskState, type Part, type TaskStatus } from "@a2a-js/sdk";
import { AgentEvent, type AgentExecutor, type ExecutionEventBus, type RequestContext } from "@a2a-js/sdk/server";

import { pause, unlessAborted } from "../environment.ts";
import { describe, PublicError, type Logger } from "../log.ts";

/** Answers messages; many at the same time. */
export interface Responder {
  /**
   * Answers one message. Text for the user is passed to `write` piece by piece. It should end soon after the signal; whatever
   * it does later is ignored. The user reads the text of a PublicError, and a general one for any other error.
   */
  respond(request: Request, write: (text: string) => void, signal: AbortSignal): Promise<Reply>;
  /** Drops what is kept for a task that will not be continued. */
  forget(taskId: string): void;
}

/** A message to be answered. */
export interface Request {
  readonly taskId: string;
  readonly contextId: string;
  /** The message goes on with a task that waited for it. */
  readonly continues: boolean;
  /** The message in words. Attached data is part of it as JSON; attached files are only named. */
  readonly text: string;
  /** The message as it was sent, with attached files. */
  readonly message: Message;
}

export interface Reply {
  /** Makes the task wait for the user's answer. Without it the task is completed. */
  readonly question?: string;
  readonly remark?: string;
  //adl:if handler
  /** Files and data that go with the answer. */
  readonly parts?: readonly Part[];
  //adl:end
}

/** How often streamed text becomes an event: every event costs a copy of the task. */
const flushInterval = 100;

const stopping = new PublicError("the agent is shutting down");
const canceled = new Error("the task was canceled");

/** Lets a responder answer and reports what it does as A2A events. */
export class Executor implements AgentExecutor {
  readonly #responder: Responder;
  readonly #logger: Logger;
  readonly #running = new Map<string, { contextId: string; controller: AbortController }>();

  constructor(responder: Responder, logger: Logger) {
    this.#responder = responder;
    this.#logger = logger;
  }

  async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { taskId, contextId, userMessage: message, task } = context;
    const controller = new AbortController();
    const { signal } = controller;
    this.#running.set(taskId, { contextId, controller });
    const run = new Run(context, bus);
    try {
      run.begin();
      const request = { taskId, contextId, continues: task !== undefined, text: messageText(message), message };
      const write = (text: string) => {
        if (!signal.aborted) run.write(text);
      };
      run.finish(await unlessAborted(this.#responder.respond(request, write, signal), signal));
    } catch (error) {
      if (error === canceled) return; // its last event was reported by cancelTask
      this.#logger.warn("task failed", { task: taskId, error: describe(error) });
      const isPublic = error instanceof PublicError;
      if (!isPublic && error instanceof Error) this.#logger.debug("task failed", { task: taskId, stack: error.stack });
      run.status(TaskState.TASK_STATE_FAILED, isPublic ? error.message : "the agent failed unexpectedly");
    } finally {
      run.end();
      this.#running.delete(taskId);
    }
  }

  cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    const { controller, contextId = "" } = this.#running.get(taskId) ?? {};
    controller?.abort(canceled);
    const status = newStatus(TaskState.TASK_STATE_CANCELED);
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
    return Promise.resolve();
  }

  /** Waits until no task is running. Those that still are after the time are ended as failed. */
  async drain(limit: number): Promise<void> {
    const end = performance.now() + limit;
    while (this.#running.size > 0 && performance.now() < end) await pause(5);
    for (const { controller } of this.#running.values()) controller.abort(stopping);
  }
}

class Run {
  readonly #context: RequestContext;
  readonly #bus: ExecutionEventBus;
  readonly #artifactId = randomUUID();
  #text = "";
  #begun = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: RequestContext, bus: ExecutionEventBus) {
    this.#context = context;
    this.#bus = bus;
  }

  /** Reports the task, which the library wants first of every execution. */
  begin(): void {
    const { taskId: id, contextId, task, userMessage } = this.#context;
    const status = newStatus(task === undefined ? TaskState.TASK_STATE_SUBMITTED : TaskState.TASK_STATE_WORKING);
    const begun = task ?? { id, contextId, artifacts: [], history: [userMessage], metadata: undefined };
    this.#bus.publish(AgentEvent.task({ ...begun, status }));
    this.status(TaskState.TASK_STATE_WORKING);
  }

  write(text: string): void {
    this.#text += text;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flush(false);
    }, flushInterval);
  }

  finish(reply: Reply): void {
    //adl:if handler
    if (reply.parts !== undefined && reply.parts.length > 0) this.#publish(randomUUID(), reply.parts, false, true);
    //adl:end
    if (this.#text !== "" || this.#begun) this.#flush(true);
    if (reply.question !== undefined) this.status(TaskState.TASK_STATE_INPUT_REQUIRED, reply.question);
    else this.status(TaskState.TASK_STATE_COMPLETED, reply.remark);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** Reports a new state of the task, with a message when there is text. */
  status(state: TaskState, text?: string): void {
    const { taskId, contextId } = this.#context;
    const status = newStatus(state);
    if (text !== undefined) {
      const message = { messageId: randomUUID(), taskId, contextId, role: "ROLE_AGENT", parts: [{ text }] };
      status.message = Message.fromJSON(message);
    }
    this.#bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
  }

  #flush(last: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#publish(this.#artifactId, [textPart(this.#text)], this.#begun, last);
    this.#text = "";
    this.#begun = true;
  }

  #publish(artifactId: string, parts: readonly Part[], append: boolean, lastChunk: boolean): void {
    const { taskId, contextId } = this.#context;
    const artifact = { artifactId, name: "", description: "", parts: [...parts], metadata: undefined, extensions: [] };
    const update = { taskId, contextId, artifact, append, lastChunk, metadata: undefined };
    this.#bus.publish(AgentEvent.artifactUpdate(update));
  }
}

function newStatus(state: TaskState): TaskStatus {
  return { state, message: undefined, timestamp: new Date().toISOString() };
}

export function textPart(text: string): Part {
  return { content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "" };
}

/** Puts the parts of a message into words. Files are only named: a model cannot read them as text. */
function messageText(message: Message): string {
  const lines = message.parts.map((part) => {
    const type = part.mediaType === "" ? "" : ` (${part.mediaType})`;
    const name = (part.filename === "" ? "" : ` ${part.filename}`) + type;
    switch (part.content?.$case) {
      case "text":
        return part.content.value;
      case "data":
        return JSON.stringify(part.content.value);
      case "url":
        return `[attached file${name}: ${part.content.value}]`;
      case "raw":
        return `[attached file${name}: ${part.content.value.length} bytes]`;
      case undefined:
        return "";
    }
  });
  return lines.filter((line) => line !== "").join("\n");
}
