/** Asks a model through an OpenAI-compatible interface. */

import type OpenAI from "openai";

import { duration, formatDuration, integer, optionalInteger, optionalNumber, text } from "../environment.ts";
import type { Lookup, Values } from "../environment.ts";
import { describe, PublicError, type Logger } from "../log.ts";
import type { Definition } from "../tool.ts";

export const modelVariables = {
  provider: text("A2A_AGENT_CLIENT_PROVIDER"),
  model: text("A2A_AGENT_CLIENT_MODEL"),
  baseUrl: text("A2A_AGENT_CLIENT_BASE_URL"),
  apiKey: text("A2A_AGENT_CLIENT_API_KEY"),
  systemPrompt: text("A2A_AGENT_CLIENT_SYSTEM_PROMPT"),
  maxTokens: optionalInteger("A2A_AGENT_CLIENT_MAX_TOKENS"),
  temperature: optionalNumber("A2A_AGENT_CLIENT_TEMPERATURE"),
  timeout: duration("A2A_AGENT_CLIENT_TIMEOUT"),
  maxRetries: integer("A2A_AGENT_CLIENT_MAX_RETRIES"),
  maxChatCompletionIterations: integer("A2A_AGENT_CLIENT_MAX_CHAT_COMPLETION_ITERATIONS"),
  maxConversationHistory: integer("A2A_AGENT_CLIENT_MAX_CONVERSATION_HISTORY"),
  maxConversationBytes: integer("A2A_AGENT_CLIENT_MAX_CONVERSATION_BYTES"),
};

export type ModelConfig = Values<typeof modelVariables>;

export function checkModel(config: ModelConfig): string[] {
  const { baseUrl, maxTokens, temperature, maxChatCompletionIterations } = modelVariables;
  const faults = [
    // The value may hold a credential, so the message never quotes it.
    [config.baseUrl !== "" && !/^https?:\/\/[^/]/i.test(config.baseUrl), baseUrl, "must be an http or https URL"],
    [(config.maxTokens ?? 1) < 1, maxTokens, "must be 1 or more"],
    [Math.abs((config.temperature ?? 1) - 1) > 1, temperature, "must be between 0 and 2"],
    [config.maxChatCompletionIterations < 1, maxChatCompletionIterations, "must be 1 or more"],
  ] as const;
  return faults.filter(([isWrong]) => isWrong).map(([, { name }, words]) => `${name}: ${words}`);
}

/** What is known about a model provider with an OpenAI-compatible interface. */
export interface Provider {
  readonly baseUrl: string; // empty: none that is the same for everybody
  readonly keyVariable: string; // usually holds the key
}

export interface Endpoint {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** OpenAI's own models take max_completion_tokens, every other server knows the older max_tokens. */
  readonly limitField: "max_completion_tokens" | "max_tokens";
}

/** Fills in what the settings leave open from the table of providers. An error names the variable that has to be set. */
export function resolveModel(
  config: ModelConfig,
  providers: Readonly<Record<string, Provider>>,
  lookup: Lookup,
  logger: Logger,
): Endpoint {
  if (config.model === "") throw new Error(`${modelVariables.model.name}: must be set`);
  const known = Object.hasOwn(providers, config.provider) ? providers[config.provider] : undefined;
  const baseUrl = config.baseUrl || (known?.baseUrl ?? "");
  if (baseUrl === "") {
    throw new Error(`${modelVariables.baseUrl.name}: must be set, since the provider has no fixed address`);
  }
  const apiKey = config.apiKey || (lookup(known?.keyVariable ?? "") ?? "");
  if (apiKey === "" && baseUrl === known?.baseUrl && !baseUrl.startsWith("http://localhost")) {
    logger.warn("no key for the model is set", { variable: known.keyVariable });
  }
  const isOpenAi = baseUrl === providers["openai"]?.baseUrl;
  return { baseUrl, apiKey, limitField: isOpenAi ? "max_completion_tokens" : "max_tokens" };
}

export type Message = OpenAI.ChatCompletionMessageParam;

/** The model's wish to run a tool. */
export interface Call {
  readonly id: string;
  readonly name: string;
  /** Meant to be a JSON object, but a model may write anything. */
  readonly arguments: string;
}

export interface Completion {
  readonly text: string;
  readonly calls: readonly Call[];
  /** The model stopped at its token limit. */
  readonly truncated: boolean;
}

export interface Model {
  /** Asks for the next message. Text is passed to `write` as it arrives. */
  complete(
    messages: readonly Message[],
    tools: readonly Definition[],
    write: (text: string) => void,
    signal: AbortSignal,
  ): Promise<Completion>;
}

/** Why the model gave no answer. Neither text holds an address, a key or what the server wrote. */
export class ModelError extends PublicError {
  constructor(message: string, detail = "") {
    super(message, detail === "" ? {} : { cause: new Error(detail) });
  }
}

export class ModelClient implements Model {
  readonly #sdk: typeof OpenAI;
  readonly #client: OpenAI;
  readonly #config: ModelConfig;
  readonly #endpoint: Endpoint;

  private constructor(sdk: typeof OpenAI, config: ModelConfig, endpoint: Endpoint) {
    this.#sdk = sdk;
    this.#config = config;
    this.#endpoint = endpoint;
    // Everything that the library would read from OPENAI_* variables is given.
    this.#client = new sdk({
      baseURL: endpoint.baseUrl,
      apiKey: endpoint.apiKey || "none",
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      defaultHeaders: endpoint.apiKey === "" ? { Authorization: null } : {},
      maxRetries: config.maxRetries,
      timeout: 2 ** 31 - 1,
      logLevel: "off",
    });
  }

  /** Loads the library; nothing is sent yet. */
  static async create(config: ModelConfig, endpoint: Endpoint): Promise<ModelClient> {
    const { default: sdk } = await import("openai");
    return new ModelClient(sdk, config, endpoint);
  }

  async complete(
    messages: readonly Message[],
    tools: readonly Definition[],
    write: (text: string) => void,
    signal: AbortSignal,
  ): Promise<Completion> {
    const watch = new SilenceWatch(this.#config.timeout);
    const either = AbortSignal.any([signal, watch.signal]);
    const answer = new Answer();
    try {
      const completions = this.#client.withOptions({ fetch: watch.fetch }).chat.completions;
      for await (const chunk of await completions.create(this.#request(messages, tools), { signal: either })) {
        const text = answer.add(chunk);
        if (text !== "") write(text);
      }
      either.throwIfAborted(); // the library then ends a stream without an error
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!watch.signal.aborted) throw this.#explain(error, tools);
      throw new ModelError(`the model did not answer within ${formatDuration(this.#config.timeout)}`);
    } finally {
      watch.stop();
    }
    return answer.completion(watch.ended);
  }

  #request(messages: readonly Message[], tools: readonly Definition[]): OpenAI.ChatCompletionCreateParamsStreaming {
    const { model, maxTokens, temperature } = this.#config;
    return {
      model,
      stream: true,
      messages: [...messages],
      tools: tools.map(({ name, description, schema }) => ({
        type: "function",
        function: { name, parameters: schema, ...(description !== "" && { description }) },
      })),
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { [this.#endpoint.limitField]: maxTokens }),
    };
  }

  #explain(error: unknown, tools: readonly Definition[]): Error {
    if (error instanceof ModelError) return error;
    const { APIConnectionError, APIError } = this.#sdk;
    if (error instanceof APIConnectionError) {
      return new ModelError("the model server could not be reached", describe(error.cause ?? error));
    }
    if (!(error instanceof APIError)) return new ModelError("the model server's answer broke off or could not be read");
    const status = error.status as number | undefined;
    if (status === undefined) return new ModelError("the model server reported an error in the middle of its answer");
    const { type, code, param } = error;
    const words = code === "context_length_exceeded" ? "the conversation is too long for the model" : refusal(status);
    // The server's message may repeat the request, so only the fixed words beside it are logged, and the tool it is about.
    const facts = { type, code, param, tool: refusedTool(`${param ?? ""} ${error.message}`, tools) };
    const given = Object.entries(facts).filter(([, value]) => Boolean(value));
    const detail = given.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(", ");
    return new ModelError(`${words} (HTTP ${status})`, detail);
  }
}

function refusal(status: number): string {
  if (status === 401 || status === 403) return "the model server refused the agent's credentials";
  if (status === 404) return "the model server does not know the model or the address";
  if (status === 429) return "the model server takes no more requests for now";
  return status >= 500 ? "the model server failed" : "the model server refused the request";
}

/** Returns the name of the tool that a refusal is about, as `tools[3].function` or by its name. */
function refusedTool(reason: string, tools: readonly Definition[]): string | undefined {
  const place = /tools(?:\[|\.)(\d+)/.exec(reason)?.[1];
  if (place !== undefined) return tools[Number(place)]?.name;
  const words = new Set(reason.match(/[A-Za-z][A-Za-z0-9_-]*/g));
  return tools.find(({ name }) => words.has(name))?.name;
}

/**
 * Ends a request when no byte arrives for a while: a long answer may take its time as long as it goes on. It also notes
 * whether the answer said that it is at its end, which the library does not tell from one that was cut off.
 */
class SilenceWatch {
  readonly #limit: number;
  readonly #silent = new AbortController();
  readonly signal = this.#silent.signal;
  #timer: NodeJS.Timeout | undefined;
  ended = false;

  constructor(limit: number) {
    this.#limit = Math.min(limit, 2 ** 31 - 1);
  }

  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    this.#restart();
    // The library may wait before it tries again.
    const response = await fetch(input, init).finally(() => this.stop());
    this.#restart();
    if (!response.ok || response.body === null) {
      return new Response(await response.text().finally(() => this.stop()), response);
    }
    const decoder = new TextDecoder();
    let tail = "";
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        this.#restart();
        tail = tail.slice(-16) + decoder.decode(chunk, { stream: true });
        this.ended ||= /(^|\n|\r)data: ?\[DONE\]/.test(tail);
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(watch), response);
  };

  stop(): void {
    clearTimeout(this.#timer);
  }

  #restart(): void {
    this.stop();
    this.#timer = setTimeout(() => this.#silent.abort(), this.#limit);
  }
}

/** Bounds the text and the calls of one answer, in characters. No model writes as much on purpose. */
const maxAnswer = 4 << 20;

type Choice = OpenAI.ChatCompletionChunk.Choice;
type CallDelta = OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall;

/** Puts an answer together from the pieces in which it is streamed. */
class Answer {
  #text = "";
  readonly #calls: { index: number | undefined; id: string; name: string; arguments: string }[] = [];
  #finishReason: string | undefined;
  #chunks = 0;
  #size = 0;

  /** Takes one piece of the answer and returns the new text in it. Servers leave out what the library's types promise. */
  add(chunk: { choices?: Choice[] }): string {
    this.#chunks++;
    const choices: Partial<Choice>[] = (chunk.choices ?? []).filter(({ index = 0 }: Partial<Choice>) => index === 0);
    let text = "";
    for (const { delta, finish_reason } of choices) {
      text += (delta?.content ?? "") + (delta?.refusal ?? "");
      for (const call of delta?.tool_calls ?? []) this.#addCall(call);
      this.#finishReason = finish_reason ?? this.#finishReason;
    }
    this.#text += text;
    this.#size += text.length;
    if (this.#size > maxAnswer) throw new ModelError(`the model's answer is longer than ${maxAnswer >> 20} MiB`);
    return text;
  }

  #addCall(delta: CallDelta): void {
    let call = this.#find(delta);
    if (call === undefined) {
      call = { index: delta.index, id: delta.id ?? "", name: "", arguments: "" };
      this.#calls.push(call);
    }
    call.name = delta.function?.name || call.name;
    call.arguments += delta.function?.arguments ?? "";
    this.#size += delta.function?.arguments?.length ?? 0;
  }

  /**
   * Returns the call that a delta goes on with, undefined for a new one. The index tells, but some providers leave it out,
   * and some give every call the index 0; then an id, or else a name, begins a new call.
   */
  #find({ index, id, function: part }: Partial<CallDelta>) {
    if (index !== undefined) {
      return this.#calls.findLast((call) => call.index === index && (!id || call.id === "" || call.id === id));
    }
    if (id) return this.#calls.find((call) => call.id === id);
    return part?.name ? undefined : this.#calls.at(-1);
  }

  /**
   * Returns the answer once its last piece was added; `ended` tells whether the server said that it is the last. What broke
   * off is no answer: a tool would be called with half of its arguments.
   */
  completion(ended: boolean): Completion {
    if (this.#chunks === 0) throw new ModelError("the model server's answer could not be read");
    if (this.#finishReason === undefined && !ended) throw new ModelError("the model server's answer broke off");
    if (this.#finishReason === "content_filter") throw new ModelError("the model's content filter stopped the answer");
    const truncated = this.#finishReason === "length";
    if (truncated && this.#calls.at(-1)?.arguments === "") {
      throw new ModelError("the model reached its token limit before it wrote the arguments of a tool");
    }
    const calls = this.#calls.map(({ id, name, arguments: args }, index) => {
      return { id: id || `call_${index + 1}`, name, arguments: args };
    });
    return { text: this.#text, calls, truncated };
  }
}
