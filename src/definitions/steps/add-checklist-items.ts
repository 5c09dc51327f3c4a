import { checkName } from '../checks/names.js';
import { checkStage } from '../checks/references.js';
import { asMappings, asText } from '../shape.js';
import { type StepKind } from '../step-kind.js';

export const addChecklistItems: StepKind<'add_checklist_items'> = {
  read: ({ items }) => ({
    items: asMappings(items, ({ title, stage }) => ({ title: asText(title), stage: asText(stage) })),
  }),
  check({ items }, scope, report) {
    for (const item of items) {
      checkName(item, 'title', item.title, report, 500);
      checkStage(item, 'stage', item.stage, scope, report);
    }
  },
  rename: (step, renames) => ({
    ...step,
    items: step.items.map((item) => ({ ...item, stage: renames.stage(item.stage) })),
  }),
};
