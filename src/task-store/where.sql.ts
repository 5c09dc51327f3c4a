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

/** Turns conditions into SQL over the table called `t`: what is not true is not listed. */
export function allOf(conditions: readonly Condition[], bindings: Bindings): string {
  return conditions.map((condition) => `(${textOf(condition, bindings)})`).join(' AND ') || 'true';
}

/** A subject's value in SQL, blank as NULL. */
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
  // As a join that leaves out what finds a partner, however many they are.
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
  if (texts.length > MAX_VALUES_BY_INDEX) return [among(subject.id, values.flat(), bindings)];
  return texts.map(
    (text) => `t.field_values @> ${bindings.bind(`{${JSON.stringify(subject.id)}:${text}}`)}::jsonb`,
  );
}

/** Each value by the index costs a search of its own; of more, one look at each task is cheaper. */
export const MAX_VALUES_BY_INDEX = 8;

/** A text is one of these, or an array holds one of them. */
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

/** The earliest of all stands on the task itself. */
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

/** A query of the ids of tasks that are linked to one that meets the conditions; in it that one is called `t`. */
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

/** Each text is folded once: a value many times would take long, and so would many values. */
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

/** The index of the workflow's words. */
export const indexOfWords =
  "field_indexes i WHERE i.workspace_id = $1 AND i.workflow_id = $2 AND i.kind = 'words'";

/** That a task of the table called `t` has the words, in SQL: one look at the index for each task. */
export function hasWords(search: WordSearch, bindings: Bindings): string {
  return `COALESCE(
    (SELECT w.words FROM task_words w
     WHERE w.workspace_id = $1 AND w.index_id = (SELECT i.id FROM ${indexOfWords}) AND w.task_id = t.id),
    (SELECT words_of(i.id, i.text_fields, t.unique_value, t.field_values) FROM ${indexOfWords})
  ) @@ ${queryOfWords(search, bindings)}`;
}

/** The words as a query of the index, in SQL. */
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

/** The values of a statement in the making, each named in its text by the place it got here. */
export class Bindings {
  readonly values: unknown[];

  constructor(...first: readonly unknown[]) {
    this.values = [...first];
  }

  /** Takes one more value and returns its name: `$3`. */
  bind(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

/** The keys of a sort in SQL over the table called `t`; the last is the order of creation. */
export interface SortTerm {
  readonly text: string;
  /** What a cursor's text of it is cast to. */
  readonly type: string;
  readonly isDescending: boolean;
  readonly isNullable: boolean;
}

/** The position of a task in a sorted list: its keys as texts, of a long one what it begins with, then its id. */
export type Position = readonly (string | null)[];

/** The terms of a sort. */
export function sortTerms(sort: readonly SortKey[], bindings: Bindings): SortTerm[] {
  return [
    ...sort.map((key) => ({ ...termOf(key, bindings), isDescending: key.isDescending })),
    { text: 't.id', type: 'bigint', isDescending: false, isNullable: false },
  ];
}

/** The ORDER BY of the terms: blanks stand last. */
export function orderBy(terms: readonly SortTerm[]): string {
  return terms
    .map(
      ({ text, isDescending, isNullable }) =>
        `${text}${isDescending ? ' DESC' : ''}${isNullable ? ' NULLS LAST' : ''}`,
    )
    .join(', ');
}

/** The keys of a task in SQL, as an array of texts. */
export function keysOf(terms: readonly SortTerm[]): string {
  return `ARRAY[${terms.map(({ text }) => `${text}::text`).join(', ')}]`;
}

/** The condition that a task stands behind this position. */
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

/** How many characters of a text it is sorted by; the index of a text and a cursor hold no more. */
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

/** A bound of the time of creation; of several in one condition the ids tell nothing. */
export function isCreationBound(condition: Condition): condition is Comparison {
  return isComparison(condition) && condition.subject.of === 'created' && condition.bounds.length === 1;
}

/**
 * What limits the ids of tasks to those that may meet the conditions on their time of creation, to follow other
 * conditions. That time is when their transaction began: ids and times have the same order but for as long as a
 * transaction takes, or a clock is set back: an hour is far more than either.
 */
export function createdWithin(conditions: readonly Condition[], bindings: Bindings, task = 't.id'): string {
  const limits = conditions.filter(isCreationBound).map(({ is, bounds: [bound] }) => {
    const [id, sign, margin] = is.startsWith('gt') ? ['below', '>', '-'] : ['above', '<', '+'];
    const instant = `${bindings.bind(bound)}::timestamptz ${margin} interval '1 hour'`;
    return ` AND ${task} ${sign} (SELECT i.${id} FROM ids_about($1, $2, ${instant}) i)`;
  });
  return limits.join('');
}
