/** Asks a model through an OpenAI-compatible interface. */

import type OpenAI from "openai";
import type {
  ChatCompletionChunk,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";

import {
  duration,
  formatDuration,
  integer,
  optionalInteger,
  optionalNumber,
  text,
  type Lookup,
  type Values,
} from "../environment.ts";
import { describe, PublicError, type Logger } from "../log.ts";
import type { Definition } from "../tool.ts";

/** The variables of the model. */
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

/** The settings of the model. */
export type ModelConfig = Values<typeof modelVariables>;

/** Says what is wrong with the settings. */
export function checkModel(config: ModelConfig): string[] {
  const problems: string[] = [];
  // The value may hold a credential, so the message never quotes it.
  if (config.baseUrl !== "" && !/^https?:\/\/[^/]/i.test(config.baseUrl)) {
    problems.push(`${modelVariables.baseUrl.name}: must be an http or https URL`);
  }
  if (config.maxTokens !== undefined && config.maxTokens < 1) {
    problems.push(`${modelVariables.maxTokens.name}: must be 1 or more`);
  }
  if (config.temperature !== undefined && (config.temperature < 0 || config.temperature > 2)) {
    problems.push(`${modelVariables.temperature.name}: must be between 0 and 2`);
  }
  if (config.maxChatCompletionIterations < 1) {
    problems.push(`${modelVariables.maxChatCompletionIterations.name}: must be 1 or more`);
  }
  return problems;
}

/** What is known about a model provider with an OpenAI-compatible interface. */
export interface Provider {
  readonly baseUrl: string; // empty: none that is the same for everybody
  readonly keyVariable: string; // usually holds the key
}

/** Where the model is reached. */
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

/** One message of a conversation with the model. */
export type Message = ChatCompletionMessageParam;

/** The model's wish to run a tool. */
export interface Call {
  readonly id: string;
  readonly name: string;
  /** Meant to be a JSON object, but a model may write anything. */
  readonly arguments: string;
}

/** One whole answer of the model: text, calls of tools, or both. */
export interface Completion {
  readonly text: string;
  readonly calls: readonly Call[];
  /** The model stopped at its token limit. */
  readonly truncated: boolean;
}

/** Answers a conversation. */
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

/** Asks one model. */
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
    const answer = new Answer();
    try {
      const client = this.#client.withOptions({ fetch: watch.fetch });
      const stream = await client.chat.completions.create(this.#request(messages, tools), {
        signal: AbortSignal.any([signal, watch.signal]),
      });
      for await (const chunk of stream) {
        const text = answer.add(chunk);
        if (text !== "") write(text);
      }
      AbortSignal.any([signal, watch.signal]).throwIfAborted(); // the library then ends a stream without an error
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (watch.signal.aborted) {
        throw new ModelError(`the model did not answer within ${formatDuration(this.#config.timeout)}`);
      }
      throw this.#explain(error, tools);
    } finally {
      watch.stop();
    }
    return answer.completion(watch.ended);
  }

  #request(messages: readonly Message[], tools: readonly Definition[]): ChatCompletionCreateParamsStreaming {
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

  /** Turns whatever went wrong with a request into an error that may be shown. */
  #explain(error: unknown, tools: readonly Definition[]): Error {
    if (error instanceof ModelError) return error;
    const { APIConnectionError, APIError } = this.#sdk;
    if (error instanceof APIConnectionError) {
      return new ModelError("the model server could not be reached", describe(error.cause ?? error));
    }
    if (error instanceof SyntaxError) return new ModelError("the model server's answer could not be read");
    if (!(error instanceof APIError)) {
      return new ModelError("the model server's answer broke off or could not be read");
    }
    const status = error.status as number | undefined;
    if (status === undefined) {
      return new ModelError("the model server reported an error in the middle of its answer");
    }
    const words =
      error.code === "context_length_exceeded" ? "the conversation is too long for the model" : refusal(status);
    // The server's message may repeat the request, so only the fixed words beside it are logged, and the tool it is about.
    const tool = refusedTool(`${error.param ?? ""} ${error.message}`, tools);
    const facts = { type: error.type, code: error.code, param: error.param, tool };
    const detail = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null && value !== "");
    return new ModelError(
      `${words} (HTTP ${status})`,
      detail.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(", "),
    );
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
  #timer: NodeJS.Timeout | undefined;
  #tail = "";
  ended = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get signal(): AbortSignal {
    return this.#silent.signal;
  }

  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    this.#restart();
    let response: Response;
    try {
      response = await fetch(input, init);
      // The library may wait before it tries again.
      if (!response.ok) response = new Response(await response.text(), response);
    } catch (error) {
      this.stop();
      throw error;
    }
    if (!response.ok || response.body === null) {
      this.stop();
      return response;
    }
    const decoder = new TextDecoder();
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        this.#restart();
        const text = this.#tail + decoder.decode(chunk, { stream: true });
        this.ended ||= /(^|\n|\r)data: ?\[DONE\]/.test(text);
        this.#tail = text.slice(-16);
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
    this.#timer = setTimeout(
      () => {
        this.#silent.abort();
      },
      Math.min(this.#limit, 2 ** 31 - 1),
    );
  }
}

/** Bounds the text and the calls of one answer, in characters. No model writes as much on purpose. */
const maxAnswer = 4 << 20;

interface PartialCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
}

type CallDelta = ChatCompletionChunk.Choice.Delta.ToolCall;

/** Puts an answer together from the pieces in which it is streamed. */
export class Answer {
  #text = "";
  readonly #calls: PartialCall[] = [];
  #finishReason: string | undefined;
  #chunks = 0;
  #size = 0;

  /** Takes one piece of the answer and returns the new text in it. */
  add(chunk: ChatCompletionChunk): string {
    this.#chunks++;
    let text = "";
    // Servers leave out what the library's types promise.
    for (const choice of (chunk.choices as ChatCompletionChunk.Choice[] | undefined) ?? []) {
      if (((choice.index as number | undefined) ?? 0) !== 0) continue;
      const delta = (choice.delta as ChatCompletionChunk.Choice.Delta | undefined) ?? {};
      text += (delta.content ?? "") + (delta.refusal ?? "");
      for (const call of delta.tool_calls ?? []) this.#addCall(call);
      this.#finishReason = choice.finish_reason ?? this.#finishReason;
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
  #find(delta: CallDelta): PartialCall | undefined {
    if ((delta.index as number | undefined) !== undefined) {
      return this.#calls.findLast(
        (call) => call.index === delta.index && (!delta.id || call.id === "" || call.id === delta.id),
      );
    }
    if (delta.id) return this.#calls.find((call) => call.id === delta.id);
    return delta.function?.name ? undefined : this.#calls.at(-1);
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
    const calls = this.#calls.map((call, index) => ({
      id: call.id || `call_${index + 1}`,
      name: call.name,
      arguments: call.arguments,
    }));
    return { text: this.#text, calls, truncated };
  }
}
