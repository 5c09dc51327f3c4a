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
  const given = [...new Set(anyOf.filter((value) => value !== null).map((value) => JSON.stringify(value)))];
  const isBlank = anyOf.includes(null) ? [blank(subject, bind)] : [];
  return [...(given.length > 0 ? equal(subject, given, bind) : []), ...isBlank].join(' OR ');
}

/** The values come as JSON texts. */
function equal(subject: Subject, texts: readonly string[], bind: Bind): string[] {
  const values = (): unknown[] => texts.map((text): unknown => JSON.parse(text));
  if (subject.of !== 'field') return [`${columns[subject.of]} = ANY(${bind(values())})`];
  if (texts.length > mostByIndex) return [among(subject.id, values().flat(), bind)];
  return texts.map((text) => `t.field_values @> ${bind(`{${JSON.stringify(subject.id)}:${text}}`)}::jsonb`);
}

// Each value by the index costs a search of its own; of many, one look at each task is cheaper.
const mostByIndex = 8;

/** A text is one of these, or an array holds one of them. */
function among(id: string, values: readonly unknown[], bind: Bind): string {
  const [field, list] = [bind(id), bind(values)];
  return `t.field_values -> ${field} ?| ${list}::text[] OR t.field_values ->> ${field} = ANY(${list}::text[])`;
}

function blank(subject: Subject, bind: Bind): string {
  if (subject.of !== 'field') return `${columns[subject.of]} IS NULL`;
  return `NOT t.field_values ? ${bind(subject.id)}`;
}

const columns = { stage: 't.stage_id', assignee: 't.assignee_id', 'unique-value': 't.unique_value' };
