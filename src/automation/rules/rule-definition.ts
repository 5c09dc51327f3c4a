import { type SetDefinition } from '../../workflows/model/schema-parts.js';

/** A rule of a workflow. The file of its trigger declares the settings of the trigger. */
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

export interface Rate {
  readonly count: number;
  readonly seconds: number;
}

export const RATE = '^[1-9][0-9]{0,5} per (minute|hour|day)$';

const units = { minute: 60, hour: 3600, day: 86_400 } as const;

export function rateOf(text: string): Rate {
  const [count = '', , unit = ''] = text.split(' ');
  return { count: Number(count), seconds: units[unit as keyof typeof units] };
}

export const defaultRates = { perRule: rateOf('100 per minute'), perTask: rateOf('10 per hour') };
