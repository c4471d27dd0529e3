import type { Message } from "../llm/client.ts";

/** Bounds the conversations in memory, and the tasks that wait for an answer. */
const maxEntries = 1000;

/** A user's message, what the model and the tools said, and the model's answer. */
export type Turn = readonly Message[];

/** Turns by key, up to a number of keys; those that were put there first are the first to leave. */
class Recent {
  readonly #entries = new Map<string, { turns: readonly Turn[]; bytes: number }>();
  bytes = 0;

  get(key: string): readonly Turn[] {
    return this.#entries.get(key)?.turns ?? [];
  }

  put(key: string, turns: readonly Turn[]): void {
    this.take(key);
    const bytes = Buffer.byteLength(JSON.stringify(turns));
    this.#entries.set(key, { turns, bytes });
    this.bytes += bytes;
    if (this.#entries.size > maxEntries) this.dropOldest();
  }

  take(key: string): readonly Turn[] {
    const { turns, bytes } = this.#entries.get(key) ?? { turns: [], bytes: 0 };
    this.#entries.delete(key);
    this.bytes -= bytes;
    return turns;
  }

  dropOldest(): void {
    const [oldest = ""] = this.#entries.keys();
    this.take(oldest);
  }
}

/**
 * Remembers what was said under every context ID. Turns enter the history as a whole when they end, so that two messages at
 * once in one conversation do not mix.
 */
export class Conversations {
  readonly #maxMessages: number;
  readonly #maxBytes: number;
  readonly #histories = new Recent();
  readonly #waiting = new Recent();

  /** Keeps up to `maxMessages` of each conversation and about `maxBytes` of all together. */
  constructor(maxMessages: number, maxBytes: number) {
    this.#maxMessages = maxMessages;
    this.#maxBytes = maxBytes;
  }

  /** Returns what was said before and the turn that the text begins, or goes on with when the task waited for it. */
  begin(contextId: string, taskId: string, text: string): { history: Message[]; turn: Message[] } {
    const history = this.#histories.get(contextId).flat();
    const [waiting] = this.#waiting.take(taskId);
    if (waiting === undefined) return { history, turn: [{ role: "user", content: text }] };
    const answers = openCalls(waiting).map((id): Message => ({ role: "tool", tool_call_id: id, content: text }));
    return { history, turn: [...waiting, ...answers] };
  }

  /** Adds a finished turn to the history. */
  end(contextId: string, turn: Turn): void {
    this.#histories.put(contextId, trim([...this.#histories.get(contextId), turn], this.#maxMessages));
    this.#fit();
  }

  /** Keeps a turn until its task is continued. */
  wait(taskId: string, turn: Turn): void {
    this.#waiting.put(taskId, [turn]);
    this.#fit();
  }

  /** Drops the turn of a task that will not be continued. */
  forget(taskId: string): void {
    this.#waiting.take(taskId);
  }

  #fit(): void {
    while (this.#histories.bytes + this.#waiting.bytes > this.#maxBytes) {
      (this.#histories.bytes > 0 ? this.#histories : this.#waiting).dropOldest();
    }
  }
}

/**
 * Drops the oldest turns until at most `limit` messages are left. A single turn that is too long keeps the user's message and
 * the answer: tool calls leave together with their results, as no server takes one without the other.
 */
function trim(turns: readonly Turn[], limit: number): readonly Turn[] {
  let count = turns.reduce((sum, turn) => sum + turn.length, 0);
  let first = 0;
  while (first < turns.length - 1 && count > limit) count -= turns[first++]?.length ?? 0;
  const kept = turns.slice(first);
  if (count <= limit) return kept;
  const [question, answer] = [kept[0]?.[0], kept[0]?.at(-1)];
  if (limit < 2 || question === undefined || answer === undefined) return [];
  return [[question, { role: "assistant", content: typeof answer.content === "string" ? answer.content : "" }]];
}

function openCalls(turn: Turn): string[] {
  const open = new Set<string>();
  for (const message of turn) {
    if (message.role === "assistant") message.tool_calls?.forEach((call) => open.add(call.id));
    if (message.role === "tool") open.delete(message.tool_call_id);
  }
  return [...open];
}
