import { type Comparable, type Subject } from './condition.js';
import { type FieldIndex, type Output, type Order, type AskedField, type ShownField } from './field-type.js';
import { type Invalid } from './invalid.js';
import { type Json, type JsonText } from '../../../packages/exact-json/json.js';
import { type TaskChange } from './task-change.js';
import { type TaskView } from './task-view.js';
import { type ValueKind } from '../../common/column-values.js';

/** A key of a task's JSON: how its value is parsed, serialized and filtered. */
export interface Property extends ListedProperty {
  /** Stores the requested value in `change`, or returns why the value is refused. */
  read(input: Json, change: TaskChange): Invalid | undefined;
  /**
   * Returns why payloads may not set this value. A task that is already in a refused stage may stay there:
   * see `staysIn`.
   */
  bars?(input: Json, change: TaskChange): Invalid | undefined;
  /** Whether the value is the one that a new task gets by default. */
  isInitial?(input: Json): boolean;
  /**
   * Whether the task already has this refused value. A list of options is also accepted, and written to
   * `change`, if each member is valid or already in the task's list.
   */
  repeats?(input: Json, task: TaskView, change: TaskChange): boolean;
  /** Whether the key is blank; absent for `Stage`, `Task URL` and relationships. */
  isBlank?(task: TaskView): boolean;
  /** The maximum number of attachments; absent if the key holds no attachments. */
  readonly files?: { readonly limit: number };
}

/** How pages show the value of a key, and which control edits it. */
export interface FieldView {
  readonly show: ShownField;
  readonly ask: AskedField;
}

/** What a list needs to know about a key. */
export interface ListedProperty {
  readonly name: string;
  serialize(task: TaskView): Output | JsonText;
  /** How expressions read the key; absent if they read the value that responses show. */
  readonly inExpressions?: InExpressions;
  readonly fieldId?: string;
  /** The type of the field, as named in definitions. */
  readonly typeName?: string;
  /** How pages show and edit the value; absent if pages have a special component for this key. */
  readonly view?: FieldView;
  readonly links?: LinkedKey;
  /** Whether the key shows data of linked tasks, so that a list must read them. */
  readonly ofLinks?: boolean;
  /** The filter; absent if lists cannot filter or sort by this key. */
  readonly filter?: Filter;
}

/** How expressions read a key of a task. A number is a decimal text. */
export interface InExpressions {
  readonly kind: ValueKind;
  value(task: TaskView): Output;
}

/** The key of a relationship: its side, and how it shows linked tasks. */
export interface LinkedKey {
  readonly side: string;
  readonly isMultiple: boolean;
  /** The name of the Unique ID field of linked tasks. References to linked tasks use this name as a key. */
  readonly uniqueId: () => string | undefined;
  /** Whether the viewer sees only Unique IDs, because the viewer does not know the other workflow. */
  readonly isUnknown?: boolean;
  readonly write: (task: TaskView) => string;
  readonly names: () => readonly string[];
  readonly property: (name: string) => ListedProperty | undefined;
}

/** How values of a key are compared, and how the text of a filter becomes a value to compare with. */
export interface Filter {
  readonly subject: Subject;
  readonly order: Order;
  readonly index?: FieldIndex | undefined;
  parse(text: string): Comparable | Invalid;
}
