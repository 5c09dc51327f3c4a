import { type Condition, type WordSearch } from '../schema/condition.js';
import { ofWorkflow } from './task-row.js';
import { type Bindings, hasWords, indexOfWords, queryOfWords } from './where.sql.js';

// The word index: one table for all workflows, kept by a trigger. Words not yet in it are read from the tasks.

export function isWordSearch(condition: Condition): condition is WordSearch {
  return condition.is === 'search';
}

/** SQL: whether the index contains all tasks. */
export const hasAllWords = `EXISTS (SELECT FROM ${indexOfWords} AND i.is_filled)`;

/** A query of up to `most` (SQL) tasks that the index finds, as `task_id`. */
export function tasksWithWords(search: WordSearch, most: string, bindings: Bindings): string {
  return `SELECT k.task_id FROM tasks_with_words($1, ${queryOfWords(search, bindings)}, ${most}) k (task_id)`;
}

/** SQL to append to conditions: limits tasks `t` to those with the words, if all of them are wanted. */
export function amongWords(conditions: readonly Condition[], bindings: Bindings): string {
  const limits = conditions.filter(isWordSearch).map((search) => {
    const behind = `(SELECT CASE WHEN NOT i.is_filled THEN i.filled_to END FROM ${indexOfWords})`;
    return ` AND t.id IN (
      ${tasksWithWords(search, ANY_NUMBER, bindings)}
      UNION ALL SELECT t.id FROM tasks t WHERE ${ofWorkflow} AND t.id > ${behind} AND ${hasWords(search, bindings)}
    )`;
  });
  return limits.join('');
}

const ANY_NUMBER = '9223372036854775807';
