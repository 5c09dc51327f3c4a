import { type Link } from '../schema/task-schema.js';

/** What a request asks of one side of a relationship of a task. */
export interface LinkChange {
  readonly link: Link;
  /** Whether these tasks are all that the task is to be linked to, or are to be linked or unlinked besides; or whether the task's links stay, and the tasks they lead to are locked. */
  readonly as: 'complete-set' | 'added' | 'removed' | 'visited';
  /** The Unique IDs of the tasks at the other end. */
  readonly references: readonly string[];
}
