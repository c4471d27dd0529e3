/** The tools that a model can call. */

import type { JsonObject } from "./json.ts";

/** What the model is told about a tool. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the arguments, an object. */
  readonly schema: JsonObject;
}

/** What a call of a tool tells the model. */
export interface Result {
  readonly text: string;
  readonly isError: boolean;
}

/** Offers tools and runs them. */
export interface Source {
  /** Lists what can be called right now. */
  definitions(): readonly Definition[];
  /** Runs the tool of that name; undefined when this source has none. */
  call(name: string, args: unknown, signal: AbortSignal): Promise<Result | undefined>;
}

export function failed(text: string): Result {
  return { text, isError: true };
}

//adl:if tools

/** A tool that is part of this agent; `S` is what it works with. */
export interface Tool<S> extends Definition {
  /** Is only called with arguments that fit the schema. */
  readonly run: (args: never, services: S, signal: AbortSignal) => Promise<string>;
}

/** Tools that are part of this agent, in the order in which the model is offered them. */
export class ToolSet<S> implements Source {
  readonly #tools: readonly Tool<S>[];
  readonly #services: S;
  readonly #checks = new Map<string, Promise<Check>>();

  constructor(tools: readonly Tool<S>[], services: S) {
    // Model servers ask for the type.
    this.#tools = tools.map((tool) => ({ ...tool, schema: { type: "object", ...tool.schema } }));
    this.#services = services;
  }

  definitions(): readonly Definition[] {
    return this.#tools;
  }

  async call(name: string, args: unknown, signal: AbortSignal): Promise<Result | undefined> {
    const tool = this.#tools.find((one) => one.name === name);
    if (tool === undefined) return undefined;
    const check = this.#checks.get(name) ?? compileSchema(tool.schema);
    this.#checks.set(name, check);
    const fault = (await check)(args);
    if (fault !== undefined) return failed(`invalid arguments: ${fault}`);
    try {
      return { text: await tool.run(args as never, this.#services, signal), isError: false };
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    }
  }
}

type Check = (value: unknown) => string | undefined;

/** The library is loaded with the first call of a tool. */
async function compileSchema(schema: JsonObject): Promise<Check> {
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, logger: false });
  const plain = Object.entries(schema).filter(([key]) => key !== "$schema"); // every dialect is read as the latest
  const validate = ajv.compile(Object.fromEntries(plain));
  return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: "arguments" }));
}
//adl:end
