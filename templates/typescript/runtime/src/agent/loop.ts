import type { Call, Completion, Message, Model, ModelConfig } from "../llm/client.ts";
import { isObject } from "../json.ts";
import { PublicError, type Logger } from "../log.ts";
import { failed, type Definition, type Result, type Source } from "../tool.ts";
import { Conversations } from "./conversation.ts";
import type { Reply, Request, Responder } from "./executor.ts";

/** The name of the tool by which the model asks the user; no other tool can have it. */
export const questionTool = "input_required";

const askUser: Definition = {
  name: questionTool,
  description:
    "Asks the user for something that is needed to go on, such as a missing detail or a confirmation. " +
    "The user's answer is the result.",
  schema: {
    type: "object",
    properties: { message: { type: "string", description: "What to ask the user." } },
    required: ["message"],
  },
};

/** Bounds the text of one tool's result, in characters: more of it would leave a model no room for anything else. */
const maxResult = 256 << 10;

/** Asks a model and runs the tools that the model calls, until the model has an answer. */
export class Loop implements Responder {
  readonly #model: Model;
  readonly #sources: readonly Source[];
  readonly #config: ModelConfig;
  readonly #conversations: Conversations;
  readonly #logger: Logger;

  /** Where two sources know a tool of the same name, the first one has it. */
  constructor(model: Model, config: ModelConfig, sources: readonly Source[], logger: Logger) {
    this.#model = model;
    this.#sources = sources;
    this.#config = config;
    this.#conversations = new Conversations(config.maxConversationHistory, config.maxConversationBytes);
    this.#logger = logger;
  }

  forget(taskId: string): void {
    this.#conversations.forget(taskId);
  }

  async respond(request: Request, write: (text: string) => void, signal: AbortSignal): Promise<Reply> {
    const { history, turn } = this.#conversations.begin(request.contextId, request.taskId, request.text);
    const answer = { written: false, pausing: false };
    // A model may write before it calls tools and again afterwards; an empty line keeps the two apart.
    const add = (text: string) => {
      write(answer.pausing ? `\n\n${text}` : text);
      Object.assign(answer, { written: true, pausing: false });
    };
    const limit = this.#config.maxChatCompletionIterations;
    for (let iteration = 0; iteration < limit; iteration++) {
      answer.pausing = answer.written;
      const messages = [...this.#system(), ...history, ...turn];
      const completion = await this.#model.complete(messages, this.#definitions(), add, signal);
      turn.push(assistantMessage(completion));
      if (completion.calls.length === 0) {
        if (!answer.written) throw new PublicError("the model gave an empty answer");
        this.#conversations.end(request.contextId, turn);
        return completion.truncated ? { remark: "the answer was cut off at the model's token limit" } : {};
      }
      const { results, question } = await this.#callAll(completion.calls, signal);
      signal.throwIfAborted();
      turn.push(...results);
      if (question !== "") {
        this.#conversations.wait(request.taskId, turn);
        return { question };
      }
    }
    throw new PublicError(`no answer after ${limit} requests to the model`);
  }

  #system(): Message[] {
    return this.#config.systemPrompt === "" ? [] : [{ role: "system", content: this.#config.systemPrompt }];
  }

  #definitions(): Definition[] {
    return [askUser, ...this.#sources.flatMap((source) => source.definitions())];
  }

  /**
   * Runs the tools side by side and returns their results in the order of the calls. The calls that ask the user have no
   * result yet; what they ask is returned as the question.
   */
  async #callAll(calls: readonly Call[], signal: AbortSignal): Promise<{ results: Message[]; question: string }> {
    const questions: string[] = [];
    const results = calls.map(async (call): Promise<Message[]> => {
      const args = parseArguments(call.arguments);
      const question = call.name === questionTool && isObject(args) ? args["message"] : undefined;
      if (typeof question === "string" && question !== "") {
        questions.push(question);
        return [];
      }
      return [resultMessage(call.id, await this.#call(call, args, signal))];
    });
    return { results: (await Promise.all(results)).flat(), question: questions.join("\n\n") };
  }

  async #call({ name, arguments: text }: Call, args: unknown, signal: AbortSignal): Promise<Result> {
    if (args === undefined) return failed(`the arguments are not valid JSON: ${text}`);
    if (name === questionTool) return failed('the arguments must be {"message": "what to ask the user"}');
    try {
      for (const source of this.#sources) {
        const result = await source.call(name, args, signal);
        if (result === undefined) continue;
        this.#logger.debug("tool called", { tool: name, error: result.isError });
        return result;
      }
    } catch (error) {
      this.#logger.error("tool failed", { tool: name, stack: error instanceof Error ? error.stack : error });
      return failed("the tool failed unexpectedly");
    }
    return failed(`there is no tool called ${JSON.stringify(name)}`);
  }
}

function assistantMessage({ text, calls }: Completion): Message {
  if (calls.length === 0) return { role: "assistant", content: text };
  const asked = calls.map(({ id, name, arguments: args }) => ({
    id,
    type: "function" as const,
    // Some servers refuse a history with arguments that are not JSON; the model reads in the result what was wrong.
    function: { name, arguments: parseArguments(args) === undefined ? "{}" : args },
  }));
  return { role: "assistant", content: text || null, tool_calls: asked };
}

/** Returns the value of the arguments, undefined when they are not JSON. None at all are an empty object. */
function parseArguments(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Tells the model what a tool returned. The protocol has no mark for errors, so words have to do. */
function resultMessage(callId: string, result: Result): Message {
  const text = result.isError ? `Error: ${result.text}` : result.text;
  const more = text.length - maxResult;
  const content = more > 0 ? `${text.slice(0, maxResult)}\n[cut here: ${more} more characters are not shown]` : text;
  return { role: "tool", tool_call_id: callId, content: content.toWellFormed() };
}
