import { ChecklistTemplateItemEntity } from '../entities/stage.entity.js';
import { weaker, whenLess } from '../../fields/weaker.js';
import { checkName } from '../check/kit.js';
import { checklistItem } from '../stage-definition.js';
import { kind } from '../kind.js';
import { tableOf } from '../stored-rows.js';
import { listSetting } from '../schema-parts.js';

export const checklistItems = kind({
  name: 'checklist item',
  list: 'checklist',
  of: 'workflow',
  key: ['stage', 'title'],
  schema: listSetting(checklistItem, {
    ...weaker(whenLess),
    title: 'Checklist',
    description: 'The items that the checklist of every new task gets.',
    maxItems: 1000,
  }),
  rows: tableOf({
    entity: ChecklistTemplateItemEntity,
    columns: { title: 'title', stage: { in: 'stageId', to: 'stage' } },
  }),
  check(item, _within, report) {
    checkName(item.title, report.at(item, 'title'), 500);
  },
});
