import { TaskState, type Artifact, type ListTasksRequest, type ListTasksResponse } from "@a2a-js/sdk";
import type { Part, Task } from "@a2a-js/sdk";
import { RequestMalformedError } from "@a2a-js/sdk/errors";
import type { TaskStore } from "@a2a-js/sdk/server";

import { textPart } from "../agent/executor.ts";
import type { TaskConfig } from "./server.ts";

/** Bounds the tasks that wait for an answer of their user. */
const maxWaitingTasks = 1000;

const defaultPageSize = 50;

type Group = "running" | "completed" | "failed" | "waiting";

interface Stored {
  readonly task: Task;
  readonly group: Group;
  readonly bytes: number;
  /** Grows with every change of any task. */
  readonly sequence: number;
}

/**
 * Keeps tasks in memory and forgets old ones. Messages and artifacts of a stored task are never changed, only replaced, so
 * copies of a task share them.
 */
export class MemoryTaskStore implements TaskStore {
  readonly #config: TaskConfig;
  /** In the order of their last change. */
  readonly #tasks = new Map<string, Stored>();
  #sequence = 0;

  /** Called with every task that will not be continued. */
  onEnd: (taskId: string) => void = () => undefined;
  //adl:if history
  /** Keeps every state of a task in its metadata. */
  recordStates = false;
  //adl:end

  constructor(config: TaskConfig) {
    this.#config = config;
  }

  load(taskId: string): Promise<Task | undefined> {
    const stored = this.#tasks.get(taskId);
    return Promise.resolve(stored && copyOf(stored.task));
  }

  save(given: Task): Promise<void> {
    //adl:if history
    if (this.recordStates) recordState(given, this.#tasks.get(given.id)?.task); // the caller shows it
    //adl:end
    const group = groupOf(given.status?.state);
    const ended = group === "completed" || group === "failed";
    const task = ended ? { ...given, artifacts: given.artifacts.map(joinTexts) } : copyOf(given);
    this.#tasks.delete(task.id);
    const bytes = group === "running" ? 0 : sizeOf(task);
    this.#tasks.set(task.id, { task, group, bytes, sequence: ++this.#sequence });
    if (ended) this.onEnd(task.id);
    this.#dropOldest();
    return Promise.resolve();
  }

  list(request: ListTasksRequest): Promise<ListTasksResponse> {
    const { contextId, status, pageToken, includeArtifacts = false, pageSize = defaultPageSize } = request;
    const after = request.statusTimestampAfter === undefined ? 0 : Date.parse(request.statusTimestampAfter);
    const matching = [...this.#tasks.values()].reverse().filter(({ task }) => {
      if (contextId !== "" && task.contextId !== contextId) return false;
      if (status !== TaskState.TASK_STATE_UNSPECIFIED && task.status?.state !== status) return false;
      return Date.parse(task.status?.timestamp ?? "") >= after;
    });
    const before = pageToken === "" ? Infinity : Number(pageToken);
    if (Number.isNaN(before)) throw new RequestMalformedError("the page token is not one of this agent");
    const rest = matching.filter(({ sequence }) => sequence < before);
    const page = rest.slice(0, pageSize);
    return Promise.resolve({
      tasks: page.map(({ task }) => ({ ...copyOf(task), ...(!includeArtifacts && { artifacts: [] }) })),
      nextPageToken: rest.length > page.length ? String(page.at(-1)?.sequence) : "",
      pageSize,
      totalSize: matching.length,
    });
  }

  /** Drops the tasks that are too many, the oldest first. */
  #dropOldest(): void {
    const { maxCompletedTasks, maxFailedTasks, maxBytes, maxWaitingBytes } = this.#config;
    const counts = { completed: maxCompletedTasks, failed: maxFailedTasks, waiting: maxWaitingTasks };
    const bytes = { ended: maxBytes, waiting: maxWaitingBytes };
    for (const { group, task, bytes: size } of [...this.#tasks.values()].reverse()) {
      if (group === "running") continue;
      const kind = group === "waiting" ? "waiting" : "ended";
      const fits = counts[group]-- > 0 && size <= bytes[kind];
      if (fits) bytes[kind] -= size;
      else this.#tasks.delete(task.id);
      if (!fits && group === "waiting") this.onEnd(task.id);
    }
  }
}

function groupOf(state: TaskState | undefined): Group {
  switch (state) {
    case TaskState.TASK_STATE_COMPLETED:
    case TaskState.TASK_STATE_CANCELED:
      return "completed";
    case TaskState.TASK_STATE_FAILED:
    case TaskState.TASK_STATE_REJECTED:
      return "failed";
    case TaskState.TASK_STATE_INPUT_REQUIRED:
      return "waiting";
    default:
      return "running";
  }
}

/** Returns a task whose fields and lists can be changed without changing the original. The library changes artifacts in place. */
function copyOf(task: Task): Task {
  const { history, artifacts, metadata } = task;
  return {
    ...task,
    history: [...history],
    artifacts: artifacts.map((artifact) => ({ ...artifact })),
    metadata: metadata && { ...metadata },
  };
}

/** Makes one part of the many in which a streamed text arrived. */
function joinTexts(artifact: Artifact): Artifact {
  const parts: Part[] = [];
  let text: string | undefined; // of the last part
  for (const part of artifact.parts) {
    const more = plainText(part);
    if (text !== undefined && more !== undefined) parts.pop();
    text = more === undefined ? undefined : (text ?? "") + more;
    parts.push(text === undefined ? part : textPart(text));
  }
  return { ...artifact, parts };
}

function plainText({ content, metadata, filename, mediaType }: Part): string | undefined {
  return content?.$case === "text" && metadata === undefined && filename + mediaType === "" ? content.value : undefined;
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== "object" || value === null) return 8;
  return Object.entries(value).reduce((sum, [key, member]) => sum + key.length + sizeOf(member), 16);
}
//adl:if history

/** Adds the state of the task to those in its metadata, unless it is the one from before. */
function recordState(task: Task, before: Task | undefined): void {
  const { state, timestamp } = task.status ?? {};
  if (state === undefined || (state === before?.status?.state && timestamp === before.status.timestamp)) return;
  const states = (before?.metadata?.["stateTransitions"] ?? []) as object[];
  task.metadata = { ...task.metadata, stateTransitions: [...states, { state: TaskState[state], timestamp }] };
}
//adl:end
