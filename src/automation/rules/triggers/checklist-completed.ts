import Type from 'typebox';
import { type EntityManager } from 'typeorm';
import { sql } from '../../../common/database/sql.js';
import { type RecordedEvent } from '../../../events/events.repository.js';
import { say } from '../../../common/message.js';
import { isOpenItem } from '../../../common/column-values.js';
import { refers } from '../../../workflows/model/marks.js';
import { triggerType } from '../trigger.js';

export const checklistCompleted = triggerType(
  Type.Object(
    {
      stage: Type.Optional(
        Type.String({
          ...refers('stage'),
          title: 'Stage',
          description: 'The stage of the items. Default: any.',
        }),
      ),
    },
    {
      title: 'A checklist is completed',
      description:
        'The last open item of a stage was completed, skipped or deleted; `when` and `fields` may read item["title"], item["status"].',
      examples: [{ stage: 'In Review' }],
    },
  ),
  {
    types: ['checklist_item.updated', 'checklist_item.deleted'],
    reads: 'item',
    compile({ stage }, { workspaceId, id, schema }) {
      return async ({ event, names, db }) => {
        const stageId = Number(event.about?.['stage']);
        const name = names.stageOf(id, stageId) ?? '';
        if (stage !== undefined && schema.stages.named(stage)?.id !== stageId)
          return { isMet: false, because: say`the item is of stage ${name}` };
        if (isOpenItem(event.about?.['status']) && event.type !== 'checklist_item.deleted')
          return { isMet: false, because: 'the item is open' };
        if (event.type === 'checklist_item.updated' && !isOpenItem(event.valuesFrom?.['status']))
          return { isMet: false, because: 'the item was done before' };
        const isMet = !(await hasOpenItems(db, workspaceId, event, stageId));
        return {
          isMet,
          because: isMet
            ? say`the checklist of ${name} was completed`
            : say`the checklist of ${name} has open items`,
        };
      };
    },
  },
);

/** Whether the task had open items of this stage at the event. The query reverses later changes. */
async function hasOpenItems(
  db: EntityManager,
  workspaceId: number,
  { workflowId, taskId, place }: RecordedEvent,
  stageId: number,
): Promise<boolean> {
  const [row] = await sql<{ isOpen: boolean }>(db, openAt, [workspaceId, workflowId, taskId, stageId, place]);
  return row?.isOpen === true;
}

const openAt = {
  name: 'open-items-at-event',
  text: `
    WITH later AS (
      SELECT e.type, e.about, e.values_from, e.place FROM events e
      WHERE e.workspace_id = $1 AND e.task_id = $3 AND e.place > $5 AND e.type LIKE 'checklist_item.%'
    ), items AS (
      SELECT i.id, i.status, i.stage_id FROM checklist_items i
      WHERE i.workspace_id = $1 AND i.workflow_id = $2 AND i.task_id = $3
      UNION ALL
      SELECT l.about ->> 'id', l.about ->> 'status', (l.about ->> 'stage')::integer FROM later l
      WHERE l.type = 'checklist_item.deleted'
    )
    SELECT EXISTS (
      SELECT FROM items i LEFT JOIN LATERAL (
        SELECT l.type, l.values_from FROM later l WHERE l.about ->> 'id' = i.id ORDER BY l.place LIMIT 1
      ) first ON true
      WHERE first.type IS DISTINCT FROM 'checklist_item.created'
        AND COALESCE(first.values_from ->> 'status', i.status) = 'Blank'
        AND COALESCE((first.values_from ->> 'stage')::integer, i.stage_id) = $4
    ) AS "isOpen"`,
};
