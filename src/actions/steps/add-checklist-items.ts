import Type from 'typebox';
import { randomText } from '../../common/random-id.js';
import { addItems, hasRoom, tooManyItems } from '../../checklists/checklist-items.js';
import { checkName } from '../../workflows/model/check/kit.js';
import { refers } from '../../workflows/model/marks.js';
import { closedMapping, lineText } from '../../workflows/model/schema-parts.js';
import { StepFailed, stepType } from '../step.js';
import { say } from '../../common/message.js';

const item = Type.Object(
  {
    title: lineText({ title: 'Title', description: '1 to 500 characters on one line.' }),
    stage: Type.String({
      ...refers('stage'),
      title: 'Stage',
      description: 'The stage on which the item is shown.',
    }),
  },
  { ...closedMapping, title: 'Checklist item', description: 'An item for this task only.' },
);

export const addChecklistItems = stepType(
  Type.Object(
    {
      items: Type.Array(item, {
        title: 'Items',
        description: 'The items, in order.',
        minItems: 1,
        maxItems: 100,
      }),
    },
    {
      title: 'Add checklist items to the task',
      description: 'Adds checklist items to this task only.',
      examples: [{ items: [{ title: 'Call the vendor', stage: 'In Review' }] }],
    },
  ),
  {
    check({ items }, _scope, report) {
      for (const item of items) checkName(item.title, report.at(item, 'title'), 500);
    },
    touches: () => [],
    async run({ items }, { context, tx, reads }) {
      const { scope, task } = context;
      const place = { workspaceId: scope.workspaceId, workflowId: scope.workflow.id, taskId: task.id };
      const rows = items.map(({ title, stage }) => {
        const stageId = scope.workflow.schema.stages.named(stage)?.id;
        if (stageId === undefined) throw new StepFailed(say`there is no stage ${stage}`);
        return { ...place, id: randomText(12), title, stageId, isEditable: true };
      });
      if (!(await (tx ? addItems(tx, rows) : hasRoom(reads, rows)))) throw new StepFailed(tooManyItems);
    },
  },
);
