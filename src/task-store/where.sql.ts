import {
  type Comparison,
  type Condition,
  type Containment,
  type LinkedFilter,
  type Membership,
  type OverdueFilter,
  type Subject,
  type WordSearch,
  isComparison,
} from '../schema/condition.js';
import { type SortKey } from '../schema/list-query.js';
import { type Ranked } from '../schema/field-type.js';

/** SQL: the conditions over the table `t`; a task for which they are unknown is not listed. */
export function allOf(conditions: readonly Condition[], bindings: Bindings): string {
  return conditions.map((condition) => `(${textOf(condition, bindings)})`).join(' AND ') || 'true';
}

/** SQL: the value of a subject; blank as NULL. */
export function valueExpression(subject: Subject, bindings: Bindings): string {
  return subject.of === 'field'
    ? `((t.field_values ->> ${bindings.bind(subject.id)}) COLLATE "C")`
    : columns[subject.of];
}

function textOf(condition: Condition, bindings: Bindings): string {
  if (condition.is === 'any-of') return anyOf(condition, bindings);
  if (condition.is === 'contains') return contains(condition, bindings);
  if (condition.is === 'search') return hasWords(condition, bindings);
  if (condition.is === 'overdue') return isOverdue(condition, bindings);
  if (condition.is === 'linked') return isLinked(condition, bindings);
  if (condition.is === 'one-of')
    return condition.conditions.map((one) => `(${textOf(one, bindings)})`).join(' OR ');
  return compare(condition, bindings);
}

function anyOf({ subject, values, isNegated }: Membership, bindings: Bindings): string {
  // Written as an anti-join, which is fast for any number of values.
  if (
    isNegated &&
    values.length > MAX_VALUES_BY_INDEX &&
    subject.of === 'unique-value' &&
    !values.includes(null)
  )
    return `NOT EXISTS (SELECT FROM unnest(${bindings.bind(values)}::text[]) one WHERE one = t.unique_value)`;
  const given = [...new Set(values.filter((value) => value !== null).map((value) => JSON.stringify(value)))];
  const isBlank = values.includes(null) ? [blank(subject, bindings)] : [];
  const text = [...(given.length > 0 ? equal(subject, given, bindings) : []), ...isBlank].join(' OR ');
  return isNegated ? `(${text || 'false'}) IS NOT TRUE` : text || 'false';
}

/** The values are passed as JSON texts. */
function equal(subject: Subject, texts: readonly string[], bindings: Bindings): string[] {
  const values = texts.map((text): unknown => JSON.parse(text));
  // Matches the expression of the partial index of active tasks.
  if (subject.of === 'active') return [columns.active];
  if (subject.of !== 'field') {
    const column = columns[subject.of];
    // With a single value, an index keeps its order.
    return [
      values.length === 1
        ? `${column} = ${bindings.bind(values[0])}`
        : `${column} = ANY(${bindings.bind(values)})`,
    ];
  }
  if (texts.length > MAX_VALUES_BY_INDEX) return [among(subject.id, values.flat(), bindings)];
  return texts.map(
    (text) => `t.field_values @> ${bindings.bind(`{${JSON.stringify(subject.id)}:${text}}`)}::jsonb`,
  );
}

/** Each value costs an index search; beyond this number, checking each task is cheaper. */
export const MAX_VALUES_BY_INDEX = 8;

/** SQL: a text is one of these, or an array contains one of them. */
function among(id: string, values: readonly unknown[], bindings: Bindings): string {
  return `t.field_values -> ${bindings.bind(id)} ?| ${bindings.bind(values)}::text[]`;
}

function blank(subject: Subject, bindings: Bindings): string {
  if (subject.of !== 'field') return `${columns[subject.of]} IS NULL`;
  return `NOT t.field_values ? ${bindings.bind(subject.id)}`;
}

function compare({ is, subject, as, bounds }: Comparison, bindings: Bindings): string {
  const value = valueExpression(subject, bindings);
  const type = as === 'number' ? 'numeric' : typeOf(subject);
  const left = as === 'number' ? `${value}::numeric` : value;
  const [bound] = bounds;
  return bounds.length === 1
    ? `${left} ${signs[is]} ${bindings.bind(bound)}::${type}`
    : `${left} ${signs[is]} ANY(${bindings.bind(bounds)}::${type}[])`;
}

/** The earliest end of all clocks is a column of the task. */
function isOverdue({ clock, isNegated }: OverdueFilter, bindings: Bindings): string {
  const isAny = 't.due_at <= service_now(statement_timestamp())';
  if (clock === undefined) return isNegated ? `(${isAny}) IS NOT TRUE` : isAny;
  return `${isAny} AND EXISTS (
    SELECT FROM clocks c WHERE c.workspace_id = t.workspace_id AND c.task_id = t.id
      AND c.clock_id = ${bindings.bind(clock)} AND c.due_at <= service_now(statement_timestamp())
  )`;
}

function isLinked(filter: LinkedFilter, bindings: Bindings): string {
  const found = `SELECT FROM (${tasksLinked(filter, bindings)}) k (task_id) WHERE k.task_id = t.id`;
  return `${filter.isNegated ? 'NOT ' : ''}EXISTS (${found})`;
}

/** A query of the ids of tasks linked to a task `t` that meets the conditions. */
export function tasksLinked({ link, conditions }: LinkedFilter, bindings: Bindings): string {
  const [near, far] = link.isFrom ? ['from', 'to'] : ['to', 'from'];
  return `
    SELECT l.${near}_id FROM links l
    JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = ${bindings.bind(link.otherWorkflowId)} AND t.id = l.${far}_id
    WHERE l.workspace_id = $1 AND l.relationship_id = ${bindings.bind(link.relationshipId)}
      AND ${allOf(conditions, bindings)}`;
}

const signs = { gt: '>', gte: '>=', lt: '<', lte: '<=' };

function typeOf({ of }: Subject): string {
  return of === 'created' || of === 'updated' || of === 'due' ? 'timestamptz' : 'text';
}

/** Folds the case of each text only once, since texts and values may be long. */
function contains({ subject, texts }: Containment, bindings: Bindings): string {
  const value = `fold_case(${valueExpression(subject, bindings)})`;
  const [text] = texts;
  if (texts.length === 1) return `strpos(${value}, fold_case(${bindings.bind(text)}::text)) > 0`;
  return `EXISTS (
    SELECT FROM (SELECT ${value} AS folded OFFSET 0) whole,
      unnest(ARRAY(SELECT fold_case(part) FROM unnest(${bindings.bind(texts)}::text[]) part)) part
    WHERE strpos(whole.folded, part) > 0
  )`;
}

export const indexOfWords =
  "field_indexes i WHERE i.workspace_id = $1 AND i.workflow_id = $2 AND i.kind = 'words'";

/** SQL: whether a task `t` contains the words, by one index lookup per task. */
export function hasWords(search: WordSearch, bindings: Bindings): string {
  return `COALESCE(
    (SELECT w.words FROM task_words w
     WHERE w.workspace_id = $1 AND w.index_id = (SELECT i.id FROM ${indexOfWords}) AND w.task_id = t.id),
    (SELECT words_of(i.id, i.text_fields, t.unique_value, t.field_values) FROM ${indexOfWords})
  ) @@ ${queryOfWords(search, bindings)}`;
}

/** SQL: the words as a query of the index. */
export function queryOfWords({ text }: WordSearch, bindings: Bindings): string {
  return `(SELECT words_query(i.id, ${bindings.bind(text)}) FROM ${indexOfWords})`;
}

const columns = {
  stage: 't.stage_id',
  active: 't.is_active',
  assignee: 't.assignee_id',
  'unique-value': 't.unique_value',
  created: 't.created_at',
  updated: 't.updated_at',
  due: 't.due_at',
};

/** The parameters of a statement that is being built; the text refers to them by position. */
export class Bindings {
  readonly values: unknown[];

  constructor(...first: readonly unknown[]) {
    this.values = [...first];
  }

  /** Adds a value and returns its name, such as `$3`. */
  bind(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

/** SQL: a key of a sort over the table `t`; the last key is the order of creation. */
export interface SortTerm {
  readonly text: string;
  /** The type to which a cursor's text is cast. */
  readonly type: string;
  readonly isDescending: boolean;
  readonly isNullable: boolean;
}

/** The position of a task in a sorted list: its keys as texts, long ones truncated, and then its id. */
export type Position = readonly (string | null)[];

export function sortTerms(sort: readonly SortKey[], bindings: Bindings): SortTerm[] {
  return [
    ...sort.map((key) => ({ ...termOf(key, bindings), isDescending: key.isDescending })),
    { text: 't.id', type: 'bigint', isDescending: false, isNullable: false },
  ];
}

/** The ORDER BY of the terms; blanks come last. */
export function orderBy(terms: readonly SortTerm[]): string {
  return terms
    .map(
      ({ text, isDescending, isNullable }) =>
        `${text}${isDescending ? ' DESC' : ''}${isNullable ? ' NULLS LAST' : ''}`,
    )
    .join(', ');
}

/** SQL: the keys of a task as an array of texts. */
export function keysOf(terms: readonly SortTerm[]): string {
  return `ARRAY[${terms.map(({ text }) => `${text}::text`).join(', ')}]`;
}

/** SQL: whether a task comes after this position. */
export function behindPosition(terms: readonly SortTerm[], position: Position, bindings: Bindings): string {
  const texts = terms.map(({ text, type, isDescending, isNullable }, at) => {
    const value = position[at] ?? null;
    if (value === null) return { further: 'false', same: `${text} IS NULL` };
    const bound = `${bindings.bind(value)}::text::${type}`;
    const further = `${text} ${isDescending ? '<' : '>'} ${bound}${isNullable ? ` OR ${text} IS NULL` : ''}`;
    return { further: `(${further})`, same: `${text} = ${bound}` };
  });
  return texts.reduceRight((rest, { further, same }) => `(${further} OR (${same} AND ${rest}))`, 'false');
}

function termOf({ subject, order }: SortKey, bindings: Bindings): Omit<SortTerm, 'isDescending'> {
  if (subject.of === 'created') return { text: 't.id', type: 'bigint', isNullable: false };
  if (subject.of === 'updated') return { text: 't.updated_at', type: 'timestamptz', isNullable: false };
  if (subject.of === 'due') return { text: columns.due, type: 'timestamptz', isNullable: true };
  if (order.by === 'rank' || order.by === 'ranks') return ranked(subject, order.by, order.ranks, bindings);
  const value = valueExpression(subject, bindings);
  if (order.by === 'number') return { text: `${value}::numeric`, type: 'numeric', isNullable: true };
  const text = subject.of === 'field' ? `left(${value}, ${MAX_SORTED_CHARACTERS})` : value;
  return { text, type: 'text COLLATE "C"', isNullable: true };
}

/** The characters of a text that are used for sorting; the index of a text and a cursor contain no more. */
const MAX_SORTED_CHARACTERS = 200;

function ranked(
  subject: Subject,
  by: 'rank' | 'ranks',
  ranks: readonly Ranked[],
  bindings: Bindings,
): Omit<SortTerm, 'isDescending'> {
  const list = `${bindings.bind(ranks.map((rank) => (rank === null ? null : String(rank))))}::text[]`;
  const rank = (value: string): string => `COALESCE(array_position(${list}, ${value}), ${ranks.length + 1})`;
  if (by === 'ranks' && subject.of === 'field') {
    const members = `t.field_values -> ${bindings.bind(subject.id)}`;
    const text = `CASE WHEN ${members} IS NOT NULL THEN
      ARRAY(SELECT ${rank('member')} FROM jsonb_array_elements_text(${members}) member ORDER BY 1) END`;
    return { text: `(${text})`, type: 'integer[]', isNullable: true };
  }
  const value = `${valueExpression(subject, bindings)}::text`;
  if (ranks.includes(null)) return { text: rank(value), type: 'integer', isNullable: false };
  return {
    text: `(CASE WHEN ${value} IS NOT NULL THEN ${rank(value)} END)`,
    type: 'integer',
    isNullable: true,
  };
}

/** A bound on the time of creation; a condition with several bounds does not limit ids. */
export function isCreationBound(condition: Condition): condition is Comparison {
  return isComparison(condition) && condition.subject.of === 'created' && condition.bounds.length === 1;
}

/**
 * SQL to append to conditions: limits the ids to tasks that may meet the conditions on the creation. That time is the
 * start of the transaction, so ids and times have the same order except within the duration of a transaction, or
 * after a clock is set back. The margin of an hour exceeds both by far.
 */
export function createdWithin(conditions: readonly Condition[], bindings: Bindings, task = 't.id'): string {
  const limits = conditions.filter(isCreationBound).map(({ is, bounds: [bound] }) => {
    const [id, sign, margin] = is.startsWith('gt') ? ['below', '>', '-'] : ['above', '<', '+'];
    const instant = `${bindings.bind(bound)}::timestamptz ${margin} interval '1 hour'`;
    return ` AND ${task} ${sign} (SELECT i.${id} FROM ids_about($1, $2, ${instant}) i)`;
  });
  return limits.join('');
}
