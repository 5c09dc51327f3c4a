import { type Subject } from './condition.js';
import { type Output, type Stored } from './field-type.js';
import { type Invalid } from './invalid.js';
import { type Json } from './json.js';
import { type TaskChange } from './task-change.js';
import { type TaskView } from './task-view.js';

/** One key of a task's JSON: how it is read from a payload, written into a response and filtered on. */
export interface Property {
  readonly name: string;
  /** Notes in `change` what the input asks for, or says why it is refused. */
  read(input: Json, change: TaskChange): Invalid | undefined;
  serialize(task: TaskView): Output;
  /** Whether the input asks for what the task holds already, even if today's definition refuses it. */
  repeats?(input: Json, task: TaskView): boolean;
  /** Absent where a list cannot be filtered by this key. */
  readonly filter?: Filter;
}

/** How the text of a query parameter becomes a value to compare with; `null` stands for blank. */
export interface Filter {
  readonly subject: Subject;
  parse(text: string): Stored | number | null | Invalid;
}
