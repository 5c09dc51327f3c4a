import { type Condition, type Subject } from '../schema/condition.js';

/** SQL text with its values, numbered from where the caller's own end. */
export interface Clause {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Turns conditions into SQL over the table called `t`; the first value is `$<next>`. */
export function whereClause(conditions: readonly Condition[], next: number): Clause {
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${next + values.push(value) - 1}`;
  const text = conditions.map((condition) => ` AND (${anyOf(condition, bind)})`).join('');
  return { text, values };
}

type Bind = (value: unknown) => string;

function anyOf({ subject, anyOf }: Condition, bind: Bind): string {
  const given = anyOf.filter((value) => value !== null);
  const isBlank = anyOf.includes(null) ? [blank(subject, bind)] : [];
  return [...(given.length > 0 ? equal(subject, given, bind) : []), ...isBlank].join(' OR ');
}

function equal(subject: Subject, values: readonly unknown[], bind: Bind): string[] {
  if (subject.of !== 'field') return [`${columns[subject.of]} = ANY(${bind(values)})`];
  return values.map((value) => `t.field_values @> ${bind(JSON.stringify({ [subject.id]: value }))}::jsonb`);
}

function blank(subject: Subject, bind: Bind): string {
  if (subject.of !== 'field') return `${columns[subject.of]} IS NULL`;
  return `NOT t.field_values ? ${bind(subject.id)}`;
}

const columns = { stage: 't.stage_id', assignee: 't.assignee_id', 'unique-value': 't.unique_value' };
