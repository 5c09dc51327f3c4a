import { type Comparable, type Subject } from './condition.js';
import { type FieldIndex, type Output, type Order, type AskedField, type ShownField } from './field-type.js';
import { type Invalid } from './invalid.js';
import { type Json, type JsonText } from '../../../packages/exact-json/json.js';
import { type TaskChange } from './task-change.js';
import { type TaskView } from './task-view.js';
import { type ValueKind } from '../../common/column-values.js';

/** One key of a task's JSON: how it is read from a payload, written into a response and filtered on. */
export interface Property extends ListedProperty {
  /** Stores the requested value in `change`, or returns why it is refused. */
  read(input: Json, change: TaskChange): Invalid | undefined;
  /** Refuses a value that only actions may set. Notes the value in `change`: a task that has it may keep it. */
  bars?(input: Json, change: TaskChange): Invalid | undefined;
  /** Whether the value is the one that a new task gets by default. */
  isInitial?(input: Json): boolean;
  /** Whether the task already has this refused value. Stores in `change` a list of which it has only some members. */
  repeats?(input: Json, task: TaskView, change: TaskChange): boolean;
  /** Whether the key is blank; absent if it never is. */
  isBlank?(task: TaskView): boolean;
  /** Present if the key holds attachments: their maximum number. */
  readonly files?: { readonly limit: number };
}

/** How pages show the value of a key, and which control edits it. */
export interface FieldView {
  readonly show: ShownField;
  readonly ask: AskedField;
}

/** The parts of a key that a list needs. */
export interface ListedProperty {
  readonly name: string;
  serialize(task: TaskView): Output | JsonText;
  /** How expressions read it; absent if they read the text in a response. */
  readonly inExpressions?: InExpressions;
  readonly fieldId?: string;
  /** The type of that field, as named in definitions. */
  readonly typeName?: string;
  /** How pages show and edit its value; absent if they have components of their own for it. */
  readonly view?: FieldView;
  readonly links?: LinkedKey;
  /** Whether it shows data of linked tasks, which then have to be read. */
  readonly ofLinks?: boolean;
  /** Absent if a list can neither filter nor sort by this key. */
  readonly filter?: Filter;
}

/** How expressions read a key of a task; a number as its decimal text. */
export interface InExpressions {
  readonly kind: ValueKind;
  value(task: TaskView): Output;
}

/** What is needed to write the key of a relationship, task by task. */
export interface LinkedKey {
  readonly side: string;
  readonly isMultiple: boolean;
  /** The name of the Unique ID field at the other end, as references use it. */
  readonly uniqueId: () => string | undefined;
  /** Whether the viewer does not know the other workflow, and sees Unique IDs only. */
  readonly isUnknown?: boolean;
  readonly write: (task: TaskView) => string;
  readonly names: () => readonly string[];
  readonly property: (name: string) => ListedProperty | undefined;
}

/** How values of a key are compared, and how the text of a query parameter becomes such a value. */
export interface Filter {
  readonly subject: Subject;
  readonly order: Order;
  readonly index?: FieldIndex | undefined;
  parse(text: string): Comparable | Invalid;
}
