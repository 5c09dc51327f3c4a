import Type from 'typebox';
import { sql } from '../../database/sql.js';
import { requirementType } from '../requirement.js';

/** What is said of a checklist with an open item. */
export const notTicked = 'Checklist must be completed';

export const checklist = requirementType(
  Type.Literal('completed', {
    title: 'Checklist',
    description: 'completed: no item of the current stage is open.',
    examples: ['completed'],
  }),
  {
    async load(db, { scope: { workspaceId, workflow }, task }) {
      const blank = await sql(db, blankItem, [workspaceId, workflow.id, task.id, task.stageId]);
      return blank.length === 0;
    },
    compile: () => (_, isDone) => (isDone ? [] : [{ message: notTicked, isOfChecklist: true }]),
  },
);

const blankItem = {
  name: 'blank-checklist-item',
  text: `
    SELECT id FROM checklist_items
    WHERE workspace_id = $1 AND workflow_id = $2 AND task_id = $3 AND stage_id = $4 AND status = 'Blank'
    LIMIT 1`,
};
