import { ChecklistItemEntity } from '../../entities/checklist-item.entity.js';
import { randomText } from '../../random-text.js';
import { StepFailed } from '../step-failed.js';
import { type StepType } from '../step-type.js';

export const addChecklistItems: StepType<'add_checklist_items'> = async ({ items }, { situation, tx }) => {
  const { workflow, task } = situation;
  const rows = items.map(({ title, stage }) => {
    const stageId = workflow.schema.stages.named(stage)?.id;
    if (stageId === undefined) throw new StepFailed(`there is no stage ${stage}`);
    const place = { workspaceId: workflow.workspaceId, workflowId: workflow.id, taskId: task.id };
    return { ...place, id: randomText(12), title, stageId, isEditable: true };
  });
  await tx?.insert(ChecklistItemEntity, rows);
};
