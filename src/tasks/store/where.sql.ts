import {
  type Comparison,
  type Condition,
  type Containment,
  type LinkedFilter,
  type Membership,
  type OverdueFilter,
  type Subject,
  type WordSearch,
} from '../../workflows/fields/condition.js';
import { hasOverdue } from './deadlines.sql.js';

/** SQL: the conditions on the table `t`. A list omits a task if one of them is false or NULL. */
export function allOf(conditions: readonly Condition[], bindings: Bindings): string {
  return conditions.map((condition) => `(${textOf(condition, bindings)})`).join(' AND ') || 'true';
}

/**
 * Whether the index of values probably finds few tasks for a condition. PostgreSQL cannot estimate this.
 * Assumes that ranked values, such as options, are common and all others are rare.
 */
export function isSelective(condition: Condition): boolean {
  if (condition.is === 'one-of') return condition.conditions.every(isSelective);
  if (condition.is !== 'any-of' || condition.isNegated || condition.subject.of !== 'field') return false;
  const { isOpen, values } = condition;
  return isOpen === true && values.length <= MAX_VALUES_BY_INDEX && !values.includes(null);
}

/**
 * Whether a condition compares a column with one value. The column's index then yields tasks in the order of
 * creation.
 */
export function isOfColumn(condition: Condition): boolean {
  return (
    condition.is === 'any-of' &&
    condition.subject.of !== 'field' &&
    !condition.isNegated &&
    condition.values.length === 1
  );
}

/** SQL: the value of a subject; NULL if the subject is blank. */
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
  const given = [...new Set(values.filter((value) => value !== null).map((value) => JSON.stringify(value)))];
  const isBlank = values.includes(null) ? [blank(subject, bindings)] : [];
  const text = [...(given.length > 0 ? equal(subject, given, bindings) : []), ...isBlank].join(' OR ');
  return isNegated ? `(${text || 'false'}) IS NOT TRUE` : text || 'false';
}

/** Returns SQL conditions, one of which is true if the subject has one of these values. `texts` are JSON. */
function equal(subject: Subject, texts: readonly string[], bindings: Bindings): string[] {
  const values = texts.map((text): unknown => JSON.parse(text));
  // Repeats the condition of the partial index of active tasks, so that PostgreSQL can use the index.
  if (subject.of === 'active') return [columns.active];
  if (subject.of !== 'field') {
    const column = columns[subject.of];
    // With a single value, PostgreSQL can use the order of an index.
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

/** Each value costs a search of the index. Beyond this number, checking each task is cheaper. */
const MAX_VALUES_BY_INDEX = 8;

/** SQL: whether a text is one of these values, or an array contains one of them. */
function among(id: string, values: readonly unknown[], bindings: Bindings): string {
  return `t.field_values -> ${bindings.bind(id)} ?| ${bindings.bind(values)}::text[]`;
}

function blank(subject: Subject, bindings: Bindings): string {
  if (subject.of !== 'field') return `${columns[subject.of]} IS NULL`;
  return `NOT t.field_values ? ${bindings.bind(subject.id)}`;
}

function compare(comparison: Comparison, bindings: Bindings): string {
  const { is, subject } = comparison;
  const text = compareTo(comparison, bindings);
  // If a task was created after an instant, it was also updated after that instant. The added condition lets
  // PostgreSQL use the index of `updated_at`.
  if (subject.of !== 'created' || !is.startsWith('gt')) return text;
  return `${text} AND ${compareTo({ ...comparison, subject: { of: 'updated' } }, bindings)}`;
}

function compareTo({ is, subject, as, bounds }: Comparison, bindings: Bindings): string {
  const value = valueExpression(subject, bindings);
  const type = as === 'number' ? 'numeric' : typeOf(subject);
  const left = as === 'number' ? `${value}::numeric` : value;
  const [bound] = bounds;
  return bounds.length === 1
    ? `${left} ${signs[is]} ${bindings.bind(bound)}::${type}`
    : `${left} ${signs[is]} ANY(${bindings.bind(bounds)}::${type}[])`;
}

/** SQL: whether a task meets an overdue filter. `t.due_at` is the earliest of its deadlines. */
function isOverdue({ deadline, isNegated }: OverdueFilter, bindings: Bindings): string {
  const now = 'service_now(statement_timestamp())';
  const isAny = `t.due_at <= ${now}`;
  if (deadline === undefined) return isNegated ? `(${isAny}) IS NOT TRUE` : isAny;
  return `${isAny} AND ${hasOverdue(bindings.bind(deadline), now)}`;
}

function isLinked(filter: LinkedFilter, bindings: Bindings): string {
  const found = `SELECT FROM (${tasksLinked(filter, bindings)}) k (task_id) WHERE k.task_id = t.id`;
  return `${filter.isNegated ? 'NOT ' : ''}EXISTS (${found})`;
}

/** SQL: the ids of the tasks that are linked to a task that meets the conditions. */
function tasksLinked({ link, conditions }: LinkedFilter, bindings: Bindings): string {
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

/** Folds the case of each text only once, because texts and values may be long. */
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

const indexOfWords = "field_indexes i WHERE i.workspace_id = $1 AND i.workflow_id = $2 AND i.kind = 'words'";

export const isWordSearch = (condition: Condition): condition is WordSearch => condition.is === 'search';

/** SQL: whether a task `t` contains the words; one index lookup for each task. */
function hasWords(search: WordSearch, bindings: Bindings): string {
  return `COALESCE(
    (SELECT w.words FROM task_words w
     WHERE w.workspace_id = $1 AND w.index_id = (SELECT i.id FROM ${indexOfWords}) AND w.task_id = t.id),
    (SELECT words_of(i.id, i.text_fields, t.unique_value, t.field_values) FROM ${indexOfWords})
  ) @@ ${queryOfWords(search, bindings)}`;
}

export function queryOfWords({ text }: WordSearch, bindings: Bindings): string {
  return `(SELECT words_query(i.id, ${bindings.bind(text)}) FROM ${indexOfWords})`;
}

export const columns = {
  stage: 't.stage_id',
  active: 't.is_active',
  assignee: 't.assignee_id',
  'unique-value': 't.unique_value',
  created: 't.created_at',
  updated: 't.updated_at',
  due: 't.due_at',
};

/** Collects the parameters of a statement that is being built; its text refers to them by position. */
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
