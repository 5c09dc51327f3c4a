import { type Condition, type WordSearch } from '../schema/condition.js';
import { ofWorkflow } from './task-row.js';
import { type Bindings, hasWords, indexOfWords, queryOfWords } from './where.sql.js';

// The index of a workflow's words: one table for all, kept by a trigger. What is not in it yet is read from tasks themselves.

export function isWordSearch(condition: Condition): condition is WordSearch {
  return condition.is === 'search';
}

/** Whether the index holds all tasks, in SQL. */
export const hasAllWords = `EXISTS (SELECT FROM ${indexOfWords} AND i.is_filled)`;

/** A query of the tasks that the index finds, so many (in SQL) at most, as `task_id`. */
export function tasksWithWords(search: WordSearch, most: string, bindings: Bindings): string {
  return `SELECT k.task_id FROM tasks_with_words($1, ${queryOfWords(search, bindings)}, ${most}) k (task_id)`;
}

/** What limits tasks of the table called `t` to those that have the words, where all of them are wanted; to follow others. */
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
