import {
  type Bindings,
  behindPosition,
  keysOf,
  MAX_SORTED_CHARACTERS,
  type Position,
  type SortTerm,
  startsOf,
} from './where.sql.js';
import { ofWorkflow } from './task-row.js';

/**
 * A task in an exact order. Where the last one of a page and the first one behind it begin alike, a position cannot
 * hold what tells them apart: it names both, with a hash of their keys, and the next page asks one that is still as it
 * was.
 */
export interface HashedRow {
  readonly id: string;
  readonly position: Position;
  readonly hash: string | null;
}

/** The hash of a task's keys in SQL. */
export function hashOf(terms: readonly SortTerm[]): string {
  return `left(encode(sha256(convert_to(${keysOf(terms)}::text, 'UTF8')), 'hex'), 32)`;
}

/** The position of the last task of a page, which tells it from the next one. */
export function between(last: HashedRow, next: HashedRow): Position {
  return [...last.position, last.hash, next.id, next.hash];
}

/** That a task stands behind a position; `near` comes before the statement that asks. */
export interface StandsBehind {
  readonly near: string;
  readonly text: string;
}

/**
 * The condition that a task stands behind this position. When it names near tasks and both were deleted or sort otherwise
 * by now, all that begin alike stand behind it: some may come again, but none is left out.
 */
export function standsBehind(
  terms: readonly SortTerm[],
  position: Position,
  bindings: Bindings,
): StandsBehind {
  const keys = position.slice(0, terms.length);
  const [lastHash, nextId, nextHash] = position.slice(terms.length);
  if (nextId == null)
    return { near: '', text: behindPosition(startsOf(terms.slice(0, keys.length)), keys, bindings) };
  const [last, first] = [bindings.bind(keys.at(-1)), bindings.bind(nextId)];
  const near = `
    WITH near AS (
      SELECT t.id = ${last}::bigint AS is_last, ${keysOf(terms)} AS keys FROM tasks t
      WHERE ${ofWorkflow} AND t.id IN (${last}::bigint, ${first}::bigint)
        AND ${hashOf(terms)} = CASE t.id WHEN ${last}::bigint THEN ${bindings.bind(lastHash)} ELSE ${bindings.bind(nextHash)} END
      ORDER BY is_last DESC LIMIT 1
    )`;
  const text = `CASE (SELECT is_last FROM near)
    WHEN true THEN ${behindNear(terms, false)}
    WHEN false THEN ${behindNear(terms, true)}
    ELSE ${behindPosition(startsOf(alike(terms, keys)), keys, bindings, true)}
  END`;
  return { near, text };
}

/** That a task stands behind the near one, or is that. */
function behindNear(terms: readonly SortTerm[], includesIt: boolean): string {
  return terms.reduceRight((rest, { text, type, isDescending }, at) => {
    const bound = `(SELECT keys[${at + 1}] FROM near)::${type}`;
    const isBlank = `(${text} IS NULL AND ${bound} IS NOT NULL)`;
    const isFurther = `(${text} ${isDescending ? '<' : '>'} ${bound} OR ${isBlank})`;
    return `(${isFurther} OR (${text} IS NOT DISTINCT FROM ${bound} AND ${rest}))`;
  }, String(includesIt));
}

/** The terms up to the first whose text fills its place in the position: behind that, tasks may begin alike. */
export function alike(terms: readonly SortTerm[], position: Position): readonly SortTerm[] {
  const isFull = (at: number): boolean => [...(position[at] ?? '')].length === MAX_SORTED_CHARACTERS;
  const first = terms.findIndex(({ start }, at) => start !== undefined && isFull(at));
  return first < 0 ? terms : terms.slice(0, first + 1);
}
