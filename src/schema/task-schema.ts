import { type Stored, type Users } from './field-type.js';
import { type Link } from './link.js';
import { type Property } from './property.js';
import { type TaskShape } from './serialize-task.js';
import { type Stages } from './stages.js';

/** What the JSON of a workflow's tasks means, compiled once per definition. */
export interface TaskSchema extends TaskShape {
  readonly stages: Stages;
  readonly users: Users;
  /** In the order of a response. */
  readonly properties: readonly Property[];
  readonly byName: ReadonlyMap<string, Property>;
  /** What a linked task shows: all but its own links. */
  readonly own: TaskShape;
  /** The sides of relationships that the tasks stand at, by their key in `TaskChange.links`. */
  readonly links: ReadonlyMap<string, Link>;
  readonly uniqueId: UniqueIdField | undefined;
  /** Names of the required fields by id; the Unique ID field stands in `uniqueId`. */
  readonly required: ReadonlyMap<string, string>;
  /** The fields that hold attachments, by id. */
  readonly files: ReadonlyMap<string, FileField>;
  /** Names by id of the fields that keep the value they were created with. */
  readonly frozen: ReadonlyMap<string, string>;
  /** Values by field id that a new task has where its payload is silent. */
  readonly defaults: ReadonlyMap<string, Stored>;
}

export interface UniqueIdField {
  readonly name: string;
  readonly required: boolean;
  readonly autoincrement: boolean;
}

export interface FileField {
  readonly name: string;
  /** How many attachments it may hold. */
  readonly limit: number;
}
