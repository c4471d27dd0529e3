/** Servers that are commands. */

import type { Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import type { SessionOptions } from "./session.ts";

/**
 * The variables that a command gets from the agent's environment beside those of the library's list. The others may be secrets
 * that are none of its business; what it needs is to be declared.
 */
const inherited = ["LANG", "LC_ALL", "TMPDIR", "TZ"];

/** Given to a command to end by itself, and once more after it was told to. */
const patience = 700;

/** Bounds one line of a command's log, in characters. */
const maxLine = 4096;

/** Runs a command as the server. When it ends, `ended` is told why. Its standard error goes to the log, at level debug. */
export function createCommand(options: SessionOptions, ended: (reason: Error) => void): Transport {
  const { server, logger, redact } = options;
  const env: Record<string, string> = {};
  for (const name of inherited) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  const transport = new StdioClientTransport({
    command: server.command ?? "",
    args: [...(server.args ?? [])],
    env: { ...env, ...server.env },
    stderr: "pipe",
  });
  let rest = "";
  let last = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = (lines.pop() ?? "").slice(0, maxLine);
    for (const line of lines.map((one) => redact(one.slice(0, maxLine).trim()))) {
      if (line === "") continue;
      last = line;
      logger.debug("MCP server wrote", { text: line });
    }
  });
  let running = true;
  transport.onclose = () => {
    running = false;
    const words = redact(rest.trim()) || last;
    ended(new Error(`the command ended${words && `: ${words}`}`));
  };
  // The library waits longer than an agent that is to stop, and not at all where it is closing the transport already.
  const close = transport.close.bind(transport);
  let closing: Promise<void> | undefined;
  const end = async () => {
    const { pid } = transport;
    const kill = (signal: NodeJS.Signals) => {
      try {
        if (running && pid !== null) process.kill(pid, signal);
      } catch {
        // it ended just now
      }
    };
    const timers = [setTimeout(kill, patience, "SIGTERM"), setTimeout(kill, 2 * patience, "SIGKILL")];
    await close();
    timers.forEach(clearTimeout);
  };
  transport.close = () => (closing ??= end());
  return transport;
}
