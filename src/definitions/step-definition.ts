import { type JsonValue } from './json-value.js';

/** What each type of step says beyond its name and type (see docs/definition.schema.json). */
export type StepShapes = {
  move_to_stage: { stage: string };
  /** An e-mail, `performer` or `nobody`. */
  assign: { to: string };
  update_fields: { set: SetDefinition };
  create_linked_task: { relationship: string; side?: Side; set: SetDefinition };
  update_linked_tasks: { relationship: string; side?: Side; set: SetDefinition };
  delete_task: object;
  add_checklist_items: { items: { title: string; stage: string }[] };
  api_call: ApiCallShape;
};

export type StepType = keyof StepShapes;

/** One step of an action. */
export type StepDefinition<T extends StepType = StepType> = {
  [K in T]: { name: string; type: K } & StepShapes[K];
}[T];

/** Values by field name: constants (numbers as the text that spells them), templates or expressions. */
export type SetDefinition = { [name: string]: SetValue };

export type SetValue = string | boolean | null | string[] | { expression: string };

/** The end of a relationship at which the task at hand stands. */
export type Side = 'from' | 'to';

type ApiCallShape = {
  url: string;
  method?: string;
  headers?: { [name: string]: string };
  body?: string | { [key: string]: JsonValue };
  timeout_seconds?: number;
  tries?: number;
};
