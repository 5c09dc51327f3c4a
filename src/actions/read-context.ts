import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { Allowance } from '../expressions/allowance.js';
import { type Expression } from '../expressions/expression.js';
import { todayIn } from '../lib/calendar.js';
import { type TaskRow } from '../task-store/task-row.js';
import { type User } from '../schema/field-type.js';
import { type Workflow } from '../workspace/workspace.js';
import { type Action } from './action.js';
import { type ActionContext } from './action-context.js';
import { readLinked } from './linked-reads.js';

/** What is asked about a task. */
export interface Question {
  readonly performer: User | undefined;
  readonly actions: readonly Action[];
  /** What is evaluated beside the requirements of the actions. */
  readonly expressions?: readonly Expression[];
  /** The time of the check; now, unless said otherwise. */
  readonly now?: Date;
}

/** Reads what a task's actions are checked by. */
export async function readContext(
  db: EntityManager,
  workflow: Workflow,
  task: TaskRow,
  { performer, actions, expressions = [], now = new Date() }: Question,
): Promise<ActionContext> {
  const { workspaceId, id, timezone } = workflow;
  const isAsked = actions.some(({ asksForChecklist }) => asksForChecklist);
  const blank = isAsked ? await sql(db, blankItem, [workspaceId, id, task.id, task.stageId]) : [];
  const asked = [...actions.flatMap((action) => action.expressions), ...expressions];
  return {
    workflow,
    task,
    linked: await readLinked(db, workflow, task, asked),
    performer,
    isChecklistDone: blank.length === 0,
    today: todayIn(timezone, now),
    now,
    allowance: new Allowance(),
  };
}

const blankItem = {
  name: 'blank-checklist-item',
  text: `
    SELECT id FROM checklist_items
    WHERE workspace_id = $1 AND workflow_id = $2 AND task_id = $3 AND stage_id = $4 AND status = 'Blank'
    LIMIT 1`,
};
