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
  call(name: string, arguments_: unknown, signal: AbortSignal): Promise<Result | undefined>;
}

/** Returns a result that tells the model what went wrong. */
export function failed(text: string): Result {
  return { text, isError: true };
}

//adl:if tools

/** A tool that is part of this agent. */
export interface Tool extends Definition {
  readonly run: (arguments_: unknown, signal: AbortSignal) => Promise<string>;
}

/** Ties a handler to its description. The handler is only called with arguments that fit the schema. */
export function tool(
  name: string,
  description: string,
  schema: JsonObject,
  handler: (arguments_: never, signal: AbortSignal) => Promise<string>,
): Tool {
  const whole = "type" in schema ? schema : { type: "object", ...schema }; // model servers ask for the type
  let check: ((value: unknown) => string | undefined) | undefined;
  return {
    name,
    description,
    schema: whole,
    async run(arguments_, signal) {
      check ??= await compileSchema(whole);
      const fault = check(arguments_);
      if (fault !== undefined) throw new Error(`invalid arguments: ${fault}`);
      return handler(arguments_ as never, signal);
    },
  };
}

/** Returns a function that says what is wrong with a value. The library is loaded with the first call of a tool. */
async function compileSchema(schema: JsonObject): Promise<(value: unknown) => string | undefined> {
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, logger: false });
  const plain = Object.entries(schema).filter(([key]) => key !== "$schema"); // every dialect is read as the latest
  const validate = ajv.compile(Object.fromEntries(plain));
  return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: "arguments" }));
}

/** Tools that are part of this agent, in the order in which the model is offered them. */
export class ToolSet implements Source {
  readonly #tools: readonly Tool[];

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
  }

  definitions(): readonly Definition[] {
    return this.#tools;
  }

  async call(name: string, arguments_: unknown, signal: AbortSignal): Promise<Result | undefined> {
    const found = this.#tools.find((one) => one.name === name);
    if (found === undefined) return undefined;
    try {
      return { text: await found.run(arguments_, signal), isError: false };
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    }
  }
}
//adl:end
