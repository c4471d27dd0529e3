import { AgentCard, Role, TaskState } from "@a2a-js/sdk";
import type { ListTasksRequest, ListTasksResponse, Message, SendMessageRequest } from "@a2a-js/sdk";
import type { Task } from "@a2a-js/sdk";
//adl:if v03
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
//adl:end
import * as errors from "@a2a-js/sdk/errors";
import { DefaultRequestHandler, JsonRpcTransportHandler, ServerCallContext } from "@a2a-js/sdk/server";
import { UnauthenticatedUser, type AgentExecutor, type TaskStore } from "@a2a-js/sdk/server";
import type { PushNotificationSender, PushNotificationStore } from "@a2a-js/sdk/server";

import { isObject, type JsonObject } from "../json.ts";
import { describe, type Logger } from "../log.ts";

/** Codes of JSON-RPC errors. */
const parseError = -32700;
const invalidRequest = -32600;
const invalidParams = -32602;
const internalError = -32603;
const versionNotSupported = -32009;

/** Arrays and objects in each other may be this deep: copying a task takes more time and memory with every level. */
const maxDepth = 100;

export interface Pushing {
  readonly store: PushNotificationStore;
  readonly sender: PushNotificationSender;
}

/** Answers JSON-RPC requests of the protocol versions that the agent speaks. */
export class Rpc {
  readonly #current: JsonRpcTransportHandler;
  //adl:if v03
  readonly #legacy: LegacyJsonRpcTransportHandler;
  //adl:end
  readonly #logger: Logger;

  constructor(card: JsonObject, store: TaskStore, executor: AgentExecutor, logger: Logger, pushing?: Pushing) {
    const handler = new RequestHandler(AgentCard.fromJSON(card), store, executor, pushing);
    this.#current = new JsonRpcTransportHandler(handler);
    //adl:if v03
    this.#legacy = new LegacyJsonRpcTransportHandler(handler);
    //adl:end
    this.#logger = logger;
  }

  /** Answers the text of a request: with a response, or with a stream of them. The version is the header A2A-Version. */
  async answer(body: string, version: string): Promise<JsonObject | AsyncIterable<JsonObject>> {
    let request: unknown;
    try {
      if (isTooDeep(body)) return errorResponse(null, invalidRequest, `nested deeper than ${maxDepth} levels`);
      request = JSON.parse(body);
    } catch {
      return errorResponse(null, parseError, "the request is not valid JSON");
    }
    const { jsonrpc, method, id = null, params } = isObject(request) ? request : {};
    const isId = id === null || typeof id === "string" || Number.isInteger(id);
    if (!isObject(request) || jsonrpc !== "2.0" || typeof method !== "string" || method === "" || !isId) {
      return errorResponse(null, invalidRequest, "the request is not one of JSON-RPC 2.0");
    }
    const transport = this.#choose(version, method);
    if (transport === undefined) {
      const message = `version ${JSON.stringify(version)} of the A2A protocol is not supported`;
      return errorResponse(id, versionNotSupported, message);
    }
    const wrong = parameterFault(method, params);
    const context = new ServerCallContext({ requestedVersion: version, user: new UnauthenticatedUser() });
    const answer = wrong
      ? errorResponse(id, invalidParams, wrong)
      : await transport.handle(prepared(request, method), context);
    if (streaming.has(method)) return this.#events(id, Symbol.asyncIterator in answer ? answer : [answer]);
    return this.#checked({ ...answer });
  }

  /**
   * Returns the handler for a version, undefined for one that nobody speaks. Clients of the older protocol send no version; its
   * methods all have a slash, so that a method without one tells the newer.
   */
  #choose(version: string, method: string) {
    if (isRelease(version, "1.0")) return this.#current;
    //adl:if v03
    if (isRelease(version, "0.3")) return this.#legacy;
    if (version === "" && method.includes("/")) return this.#legacy;
    //adl:end
    return version === "" && method !== "" ? this.#current : undefined;
  }

  async *#events(id: unknown, answers: AsyncIterable<object> | Iterable<object>): AsyncGenerator<JsonObject> {
    try {
      for await (const answer of answers) yield this.#checked({ ...answer });
    } catch (error) {
      const { code, message } = JsonRpcTransportHandler.mapToJSONRPCError(error);
      yield this.#checked(errorResponse(id, code, message));
    }
  }

  /** Keeps the text of an unexpected error from the client. */
  #checked(response: JsonObject): JsonObject {
    const { error } = response;
    if (!isObject(error) || error["code"] !== internalError) return response;
    this.#logger.error("request failed", { error: describe(error["message"]) });
    return { ...response, error: { code: internalError, message: "internal error" } };
  }
}

const streaming = new Set(["SendStreamingMessage", "SubscribeToTask", "message/stream", "tasks/resubscribe"]);
const sending = new Set(["SendMessage", "SendStreamingMessage", "message/send", "message/stream"]);

function errorResponse(id: unknown, code: number, message: string): JsonObject {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** Says what is wrong with the parameters; the library would fail on it, or take it for something else. */
function parameterFault(method: string, params: unknown): string | undefined {
  if (params === undefined && /extended(AgentCard|Card)$/i.test(method)) return undefined;
  if (!isObject(params)) return "params must be an object";
  if (!sending.has(method)) return undefined;
  const message = params["message"];
  if (!isObject(message)) return "message must be an object";
  if (typeof message["messageId"] !== "string" || message["messageId"] === "") return "message.messageId must be set";
  const role = message["role"];
  if (method.includes("/") ? role !== "user" && role !== "agent" : !(String(role) in Role)) {
    return "message.role is not one of the protocol";
  }
  const parts = message["parts"];
  if (!Array.isArray(parts) || parts.length === 0) return "message.parts must hold a part";
  return parts.every(isPart) ? undefined : "message.parts holds a part that is not one of the protocol";
}

function isPart(part: unknown): boolean {
  if (!isObject(part)) return false;
  const file = part["file"];
  if (part["kind"] === "file") return isObject(file) && typeof (file["uri"] ?? file["bytes"]) === "string";
  if (part["kind"] === "data") return isObject(part["data"]);
  const texts = ["text", "raw", "url"].filter((field) => field in part);
  return texts.every((field) => typeof part[field] === "string") && (texts.length > 0 || "data" in part);
}

/** Returns the request as the library is to see it. */
function prepared(request: JsonObject, method: string): JsonObject {
  const params: JsonObject = isObject(request["params"]) ? { ...request["params"] } : {};
  delete params["tenant"]; // there is one for all
  // Protocol 0.3 waits for the task unless told otherwise; the library does so only without a configuration.
  const configuration = params["configuration"];
  if (method === "message/send" && isObject(configuration)) {
    params["configuration"] = { ...configuration, blocking: configuration["blocking"] ?? true };
  }
  return { ...request, params };
}

/** Tells whether arrays and objects are nested too deeply, without building them. */
function isTooDeep(json: string): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const character = json[i];
    if (character === '"') inString = !inString;
    else if (inString) i += character === "\\" ? 1 : 0;
    else if (character === "[" || character === "{") depth++;
    else if (character === "]" || character === "}") depth--;
    if (depth > maxDepth) return true;
  }
  return false;
}

function isRelease(version: string, release: string): boolean {
  return version === release || version.startsWith(`${release}.`);
}

/** The library's handler, where it does not do as the protocol says. */
class RequestHandler extends DefaultRequestHandler {
  readonly #store: TaskStore;
  readonly #pushes: boolean;
  readonly #claimed = new Set<string>();

  constructor(card: AgentCard, store: TaskStore, executor: AgentExecutor, pushing?: Pushing) {
    // Without a state that keeps the bus alive a task that waits for input can be canceled, and its bus does not stay for ever.
    super(card, store, executor, undefined, pushing?.store, pushing?.sender, undefined, undefined, {
      keepBusAliveStates: [],
    });
    this.#store = store;
    this.#pushes = card.capabilities?.pushNotifications === true;
  }

  override async sendMessage(params: SendMessageRequest, context: ServerCallContext): Promise<Message | Task> {
    const release = await this.#claim(params, context);
    return super.sendMessage(params, context).finally(release);
  }

  override async *sendMessageStream(params: SendMessageRequest, context: ServerCallContext) {
    const release = await this.#claim(params, context);
    try {
      yield* super.sendMessageStream(params, context);
    } finally {
      release();
    }
  }

  /** A listing must name a context: without authentication the agent cannot tell whose the other tasks are. */
  override listTasks(params: ListTasksRequest, context: ServerCallContext): Promise<ListTasksResponse> {
    if (params.contextId === "")
      throw new errors.RequestMalformedError("contextId is required: this agent does not authenticate its callers");
    return super.listTasks(params, context);
  }

  /** Makes sure that a task is worked on by one execution at a time; the library would start another one beside it. */
  async #claim({ message, configuration }: SendMessageRequest, context: ServerCallContext): Promise<() => void> {
    if (configuration?.taskPushNotificationConfig !== undefined && !this.#pushes) {
      throw new errors.PushNotificationNotSupportedError();
    }
    const id = message?.taskId ?? "";
    if (id === "") return () => undefined;
    const state = (await this.#store.load(id, context))?.status?.state;
    const working = state === TaskState.TASK_STATE_SUBMITTED || state === TaskState.TASK_STATE_WORKING;
    if (working || this.#claimed.has(id)) throw new errors.UnsupportedOperationError("the task is still working");
    this.#claimed.add(id);
    return () => this.#claimed.delete(id);
  }
}
