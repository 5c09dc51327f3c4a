import { type SetDefinition } from '../../workflows/model/schema-parts.js';

/** A rule of a workflow; beyond `on`, the file of its trigger declares its settings. */
export type RuleDefinition<Settings extends object = object> = {
  id: string;
  on: string;
  run: string;
  when?: string;
  as?: string;
  of?: string;
  fields?: SetDefinition;
  limit?: { per_rule?: string; per_task?: string };
} & Settings;
