import { type Comparable, type Subject } from './condition.js';
import { type FieldIndex, type Output, type Order, type AskedField, type ShownField } from './field-type.js';
import { type Invalid } from './invalid.js';
import { type Json, type JsonText } from '../../packages/exact-json/json.js';
import { type TaskChange } from './task-change.js';
import { type TaskView } from './task-view.js';
import { type ValueKind } from '../lib/value-kind.js';

/** One key of a task's JSON: how it is read from a payload, written into a response and filtered on. */
export interface Property extends ListedProperty {
  /** Notes in `change` what the input asks for, or says why it is refused. */
  read(input: Json, change: TaskChange): Invalid | undefined;
  /** Why a payload may not ask for this, though an action may; notes in `change` what the task must hold to have it nevertheless. */
  bars?(input: Json, change: TaskChange): Invalid | undefined;
  /** Whether a new task is as the input asks even if nobody asks for it. */
  isInitial?(input: Json): boolean;
  /** Whether the input asks for what the task holds already, even if today's definition refuses it. */
  repeats?(input: Json, task: TaskView): boolean;
  /** Whether the task has nothing under this key; absent where that is never so. */
  isBlank?(task: TaskView): boolean;
  /** Present where the key holds attachments: how many at most. */
  readonly files?: { readonly limit: number };
}

/** How pages show the value of a key, and by what they ask for one. */
export interface FieldView {
  readonly show: ShownField;
  readonly ask: AskedField;
}

/** What a list needs of a key. */
export interface ListedProperty {
  readonly name: string;
  serialize(task: TaskView): Output | JsonText;
  /** How expressions read it; absent where they read the text that a response holds. */
  readonly inExpressions?: InExpressions;
  /** The id of the field whose stored value it shows, where it is one's. */
  readonly fieldId?: string;
  /** The type of that field, as definitions name it. */
  readonly typeName?: string;
  /** How pages show its value, and ask for one; absent where they have parts of their own for it. */
  readonly view?: FieldView;
  /** Present where the key is a relationship's. */
  readonly links?: LinkedKey;
  /** Whether it tells of the linked tasks, which are read for it. */
  readonly ofLinks?: boolean;
  /** Absent where a list can be neither filtered nor sorted by this key. */
  readonly filter?: Filter;
}

/** How expressions read a key of a task: a number by its decimal text. */
export interface InExpressions {
  readonly kind: ValueKind;
  value(task: TaskView): Output;
}

/** What it takes to write a relationship's key task by task. */
export interface LinkedKey {
  /** The side of the relationship. */
  readonly side: string;
  readonly isMultiple: boolean;
  /** By which name a reference has the Unique ID of the task at the other end. */
  readonly uniqueId: () => string | undefined;
  /** Whether who asks does not know the other workflow, and is shown Unique IDs alone. */
  readonly isUnknown?: boolean;
  /** The JSON of a task at the other end. */
  readonly write: (task: TaskView) => string;
  /** The names of the keys of the task at the other end. */
  readonly names: () => readonly string[];
  /** A key of the task at the other end. */
  readonly property: (name: string) => ListedProperty | undefined;
}

/** How a key is compared, and how the text of a query parameter becomes a value to compare with. */
export interface Filter {
  readonly subject: Subject;
  readonly order: Order;
  /** Where the values are kept in their order. */
  readonly index?: FieldIndex | undefined;
  parse(text: string): Comparable | Invalid;
}
