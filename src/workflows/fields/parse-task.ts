import { type Asker } from './protection.js';
import { Invalid } from './invalid.js';
import { type Json, type JsonObject } from '../../../packages/exact-json/json.js';
import { nameMeant, nearNameMeant } from '../../common/did-you-mean.js';
import { type Pause } from '../../../packages/fair/turn.js';
import { type Property } from './property.js';
import { emptyChange, type TaskChange } from './task-change.js';
import { type TaskSchema } from './task-schema.js';
import { hinted } from '../../common/message.js';

/** A payload, validated as far as possible without the stored task. */
export interface ParsedTask {
  readonly change: TaskChange;
  /** The refused values, in the order of the payload. */
  readonly refused: readonly Refused[];
}

/** A value that the definition refuses. An update accepts the value if the task already holds the value. */
export interface Refused {
  readonly name: string;
  readonly input: Json;
  readonly reason: Invalid;
  /** Undefined if the workflow has no key of this name. */
  readonly property: Property | undefined;
}

/** Parses a payload and collects every refusal. Pauses between values, because a pattern may be slow. */
export async function parseTask(
  schema: TaskSchema,
  payload: JsonObject,
  pause: Pause,
  from: Asker = 'payload',
): Promise<ParsedTask> {
  const change = emptyChange(schema, from);
  const refused: Refused[] = [];
  for (const [name, input] of payload) {
    const waiting = pause();
    if (waiting) await waiting;
    const property = schema.byName.get(name);
    const barred = from === 'payload' ? property?.bars?.(input, change) : undefined;
    const reason =
      barred ?? (property ? property.read(input, change) : unknownName(schema, name, refused.length));
    if (reason) refused.push({ name, input, reason, property });
  }
  return { change, refused };
}

/** Compares spellings only for the first three refusals, because a payload may have thousands of refusals. */
function unknownName({ byName }: TaskSchema, name: string, before: number): Invalid {
  const meant = before < 3 ? nearNameMeant(name, byName) : nameMeant(name, byName);
  return new Invalid(hinted('is not a field of this workflow', meant));
}
