import { weaker, whenLess } from '../../workflows/fields/weaker.js';
import Type from 'typebox';
import { sql } from '../../common/database/sql.js';
import { requirementType } from '../requirement.js';

const notTicked = 'Checklist must be completed';

export const checklist = requirementType(
  Type.Literal('completed', {
    ...weaker(whenLess),
    title: 'Checklist',
    description: 'completed: no item of the current stage is open.',
    examples: ['completed'],
  }),
  {
    async load(db, tasks) {
      const ids = tasks.map(({ task }) => task.id);
      const workflows = tasks.map(({ scope }) => scope.workflow.id);
      const stages = tasks.map(({ task }) => task.stageId);
      const values = [tasks[0]?.scope.workspaceId, workflows, ids, stages];
      const open = new Set((await sql<{ id: string }>(db, blankItems, values)).map(({ id }) => id));
      return new Map(ids.map((id) => [id, !open.has(id)]));
    },
    compile: () => (_, isDone) => (isDone ? [] : [{ message: notTicked, isOfChecklist: true }]),
  },
);

const blankItems = {
  name: 'tasks-with-blank-items',
  text: `
    SELECT t.id::text AS id FROM unnest($2::integer[], $3::bigint[], $4::integer[]) t (workflow_id, id, stage_id)
    WHERE EXISTS (
      SELECT FROM checklist_items i
      WHERE i.workspace_id = $1 AND i.workflow_id = t.workflow_id AND i.task_id = t.id AND i.stage_id = t.stage_id
        AND i.status = 'Blank'
    )`,
};
