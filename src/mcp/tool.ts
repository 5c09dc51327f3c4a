import { type Principal } from '../auth/api-keys.js';
import { type Scope } from '../workspace/scope.js';
import { type Workspace } from '../workspace/workspace.js';
import { type Arguments, type Declared } from './arguments.js';
import { type McpServices } from './mcp-services.js';

/** Something that an agent may ask for by name. */
export interface Tool extends Declared {
  readonly name: string;
  /** What it does, for models. */
  readonly description: string;
  /** What clients may want to know before they let a model call it. */
  readonly hints: Hints;
  run(call: Call, given: Arguments): Promise<ToolOutcome>;
}

interface Hints {
  readonly writes: boolean;
  /** Whether it may replace what is there. */
  readonly overwrites?: true;
}

/** Who calls, and what of the service they reach. */
export interface Call {
  readonly services: McpServices;
  readonly principal: Principal;
  /** The workspace of the key, by the definition in force. */
  readonly workspace: () => Promise<Workspace>;
  /** The scope of the call in this workflow; 404 where the key knows of none such. */
  readonly scope: (workflow: string) => Promise<Scope>;
  /** The last event that the call has made, as clients see its id. */
  readonly lastEvent: () => string | undefined;
}

/** What came of a call. */
export interface ToolOutcome {
  /** Our sentence, which repeats nothing that others have written. */
  readonly said: string;
  /** What tools put beside `values` is ours, or stands in the definition. */
  readonly structured: Structured;
  readonly isError?: true;
}

export type Structured = Readonly<Record<string, unknown>>;

/** The call that leads on. */
export interface Next {
  readonly tool: string;
  readonly arguments: Structured;
}
