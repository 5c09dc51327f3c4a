import {
  type Comparison,
  type Condition,
  type Containment,
  type Membership,
  type Subject,
} from '../schema/condition.js';
import { type Bindings } from './bindings.js';

/** Turns conditions into SQL over the table called `t`: what is not true is not listed. */
export function allOf(conditions: readonly Condition[], bindings: Bindings): string {
  return conditions.map((condition) => `(${textOf(condition, bindings)})`).join(' AND ') || 'true';
}

/** A subject's value in SQL, blank as NULL. */
export function valueOf(subject: Subject, bindings: Bindings): string {
  return subject.of === 'field'
    ? `((t.field_values ->> ${bindings.bind(subject.id)}) COLLATE "C")`
    : columns[subject.of];
}

function textOf(condition: Condition, bindings: Bindings): string {
  if (condition.is === 'any-of') return anyOf(condition, bindings);
  if (condition.is === 'contains') return contains(condition, bindings);
  return compare(condition, bindings);
}

function anyOf({ subject, values, isNegated }: Membership, bindings: Bindings): string {
  const given = [...new Set(values.filter((value) => value !== null).map((value) => JSON.stringify(value)))];
  const isBlank = values.includes(null) ? [blank(subject, bindings)] : [];
  const text = [...(given.length > 0 ? equal(subject, given, bindings) : []), ...isBlank].join(' OR ');
  return isNegated ? `(${text || 'false'}) IS NOT TRUE` : text || 'false';
}

/** The values come as JSON texts. */
function equal(subject: Subject, texts: readonly string[], bindings: Bindings): string[] {
  const values = texts.map((text): unknown => JSON.parse(text));
  // As the partial index of active tasks has it.
  if (subject.of === 'active') return [columns.active];
  if (subject.of !== 'field') {
    const column = columns[subject.of];
    // One value alone leaves an index its order.
    return [
      values.length === 1
        ? `${column} = ${bindings.bind(values[0])}`
        : `${column} = ANY(${bindings.bind(values)})`,
    ];
  }
  if (texts.length > mostByIndex) return [among(subject.id, values.flat(), bindings)];
  return texts.map(
    (text) => `t.field_values @> ${bindings.bind(`{${JSON.stringify(subject.id)}:${text}}`)}::jsonb`,
  );
}

/** Each value by the index costs a search of its own; of more, one look at each task is cheaper. */
export const mostByIndex = 8;

/** A text is one of these, or an array holds one of them. */
function among(id: string, values: readonly unknown[], bindings: Bindings): string {
  return `t.field_values -> ${bindings.bind(id)} ?| ${bindings.bind(values)}::text[]`;
}

function blank(subject: Subject, bindings: Bindings): string {
  if (subject.of !== 'field') return `${columns[subject.of]} IS NULL`;
  return `NOT t.field_values ? ${bindings.bind(subject.id)}`;
}

function compare({ is, subject, as, bounds }: Comparison, bindings: Bindings): string {
  const value = valueOf(subject, bindings);
  const type = as === 'number' ? 'numeric' : typeOf(subject);
  const left = as === 'number' ? `${value}::numeric` : value;
  const [bound] = bounds;
  return bounds.length === 1
    ? `${left} ${signs[is]} ${bindings.bind(bound)}::${type}`
    : `${left} ${signs[is]} ANY(${bindings.bind(bounds)}::${type}[])`;
}

const signs = { gt: '>', gte: '>=', lt: '<', lte: '<=' };

function typeOf({ of }: Subject): string {
  return of === 'created' || of === 'updated' ? 'timestamptz' : 'text';
}

/** Each text is folded once: a value many times would take long, and so would many values. */
function contains({ subject, texts }: Containment, bindings: Bindings): string {
  const value = `fold_case(${valueOf(subject, bindings)})`;
  const [text] = texts;
  if (texts.length === 1) return `strpos(${value}, fold_case(${bindings.bind(text)}::text)) > 0`;
  return `EXISTS (
    SELECT FROM (SELECT ${value} AS folded OFFSET 0) whole,
      unnest(ARRAY(SELECT fold_case(part) FROM unnest(${bindings.bind(texts)}::text[]) part)) part
    WHERE strpos(whole.folded, part) > 0
  )`;
}

const columns = {
  stage: 't.stage_id',
  active: 't.is_active',
  assignee: 't.assignee_id',
  'unique-value': 't.unique_value',
  created: 't.created_at',
  updated: 't.updated_at',
};
