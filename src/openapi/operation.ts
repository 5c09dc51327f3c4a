import { type Answer } from './answers.js';
import { type Parameter } from './parameters.js';
import { type RefusalName } from './refusals.js';
import { type Schema } from './schema.js';

/** What there is to say of a method of a controller beyond its route. */
export interface Operation {
  /** Names it in generated clients; unique. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Beside those of the path. */
  readonly parameters?: readonly Parameter[];
  readonly body?: RequestBody;
  /** By status. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Beside those of every operation. */
  readonly refusals?: readonly RefusalName[];
}

export interface RequestBody {
  readonly type: string;
  readonly schema: Schema;
  /** Schemas of the other types that it may be of. */
  readonly others?: Readonly<Record<string, Schema>>;
}

/** A group of operations, as readers see it. */
export interface Group {
  readonly name: string;
  readonly description: string;
  /** Whether they answer without a key. */
  readonly isPublic?: boolean;
}

/** What there is to say of every method of a controller. */
export type Operations<Controller> = { readonly [Method in keyof Controller]: Operation };
