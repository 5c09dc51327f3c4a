import { type Allowance } from '../expressions/allowance.js';
import { type User } from '../schema/field-type.js';
import { type TaskView } from '../schema/task-view.js';
import { type Workflow } from '../workflows/workspace.js';

/** Everything that an action is judged by: a task at one moment, and who wants it. */
export interface Situation {
  readonly workflow: Workflow;
  readonly task: TaskView;
  /** Whether no item of the task's stage is blank; true where no action asks. */
  readonly isChecklistDone: boolean;
  /** Absent where the key itself acts. */
  readonly performer: User | undefined;
  /** YYYY-MM-DD, in the time zone of the workspace. */
  readonly today: string;
  /** What expressions may cost together. */
  readonly allowance: Allowance;
}
