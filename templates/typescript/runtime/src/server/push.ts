/** Push notifications. */

import { lookup } from "node:dns";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { BlockList, isIPv6, type LookupFunction } from "node:net";

import type { StreamResponse, Task } from "@a2a-js/sdk";
//adl:if v03
import { V03PushNotificationSerializer } from "@a2a-js/sdk/compat/v0_3/server";
//adl:end
import {
  InMemoryPushNotificationStore,
  V1PushNotificationSerializer,
  type PushNotificationSender,
  type PushNotificationSerializer,
  type PushNotificationStore,
  type ServerCallContext,
  type StoredPushNotificationConfig,
} from "@a2a-js/sdk/server";

import { describe, type Logger } from "../log.ts";
import type { Pushing } from "./rpc.ts";

/** Bounds one notification; those of a task are sent one after the other. */
const timeout = 5_000;

/** How long a web hook that failed gets the states of tasks alone. */
const pauseAfterFailure = 60_000;

/** The agent's own network, which a client must not reach through the agent. */
const own = new BlockList();
for (const [address, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["224.0.0.0", 3],
] as const) {
  own.addSubnet(address, prefix);
  own.addSubnet(`::ffff:${address}`, 96 + prefix, "ipv6");
}
for (const [address, prefix] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const) {
  own.addSubnet(address, prefix, "ipv6");
}

/** Tells whether an address is one that web hooks cannot have. */
export function isOwnNetwork(address: string): boolean {
  return own.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/** Returns what sends push notifications. */
export function createPushing(logger: Logger): Pushing {
  const store = new InMemoryPushNotificationStore();
  return { store, sender: new WebHooks(store, logger) };
}

/** By protocol version. */
const serializers: Readonly<Record<string, PushNotificationSerializer>> = {
  "1.0": new V1PushNotificationSerializer(),
  //adl:if v03
  "0.3": new V03PushNotificationSerializer(),
  //adl:end
};

/** Sends push notifications. A failure is logged, without the address, which may hold a secret. */
class WebHooks implements PushNotificationSender {
  readonly #store: PushNotificationStore;
  readonly #logger: Logger;
  /** By task: the notification that is being sent. */
  readonly #sending = new Map<string, Promise<void>>();
  /** By address: until when. */
  readonly #paused = new Map<string, number>();

  constructor(store: PushNotificationStore, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  async send(event: StreamResponse, context: ServerCallContext, task?: Task): Promise<void> {
    const hooks = (await this.#store.loadWithMetadata?.(task?.id ?? "", context)) ?? [];
    if (task === undefined || hooks.length === 0) return;
    const before = this.#sending.get(task.id);
    const sending = (async () => {
      await before;
      await Promise.all(hooks.map((hook) => this.#notify(hook, event, task)));
    })();
    this.#sending.set(task.id, sending);
    await sending;
    if (this.#sending.get(task.id) === sending) this.#sending.delete(task.id);
  }

  async #notify({ config, wireVersion }: StoredPushNotificationConfig, event: StreamResponse, task: Task) {
    const isPaused = (this.#paused.get(config.url) ?? 0) > Date.now();
    if (isPaused && event.payload?.$case === "artifactUpdate") return;
    try {
      const serializer = serializers[wireVersion] ?? new V1PushNotificationSerializer();
      const { body, contentType } = serializer.serialize(event, task);
      const { scheme, credentials } = config.authentication ?? { scheme: "", credentials: "" };
      await post(new URL(config.url), body, {
        "Content-Type": contentType,
        ...(config.token !== "" && { "X-A2A-Notification-Token": config.token }),
        ...(credentials !== "" && { Authorization: `${scheme} ${credentials}` }),
      });
    } catch (error) {
      for (const [url, until] of this.#paused) if (until < Date.now()) this.#paused.delete(url);
      this.#paused.set(config.url, Date.now() + pauseAfterFailure);
      const host = URL.canParse(config.url) ? new URL(config.url).host : "";
      this.#logger.warn("push notification not delivered", { task: task.id, host, error: describe(error) });
    }
  }
}

/** Sends a notification to an address outside of the agent's network; redirects are not followed. */
function post(url: URL, body: string, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    if (url.protocol !== "http:" && url.protocol !== "https:") throw new Error("the URL must be an http or https URL");
    const host = url.hostname.replace(/^\[|\]$/g, "");
    if (/^[\d.]+$|:/.test(host) && isOwnNetwork(host)) throw new Error("the host is in the agent's own network");
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    const signal = AbortSignal.timeout(timeout);
    const request = send(url, { method: "POST", headers, signal, lookup: lookupOutside, agent: false });
    request.on("error", reject).on("response", (response) => {
      response.resume();
      const status = response.statusCode ?? 0;
      if (status >= 200 && status < 300) resolve();
      else reject(new Error(`HTTP ${status}`));
    });
    request.end(body);
  });
}

/** Finds the addresses of a host, unless one is in the agent's own network. */
const lookupOutside: LookupFunction = (host, options, callback) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    const isOwn = addresses.some(({ address }) => isOwnNetwork(address));
    const fault = error ?? (isOwn ? new Error("the host is in the agent's own network") : null);
    if (options.all === true) callback(fault, addresses);
    else callback(fault, addresses[0]?.address ?? "", addresses[0]?.family);
  });
};
