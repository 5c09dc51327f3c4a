import { checkDistinct, checkName } from './names.js';
import { checkStage } from './references.js';
import { type Report } from './report.js';
import { type WorkflowScope } from './scope.js';

/** Reports what is wrong with the template items of a workflow. */
export function checkChecklist(scope: WorkflowScope, report: Report): void {
  const { checklist } = scope.workflow;
  for (const item of checklist) {
    checkName(item, 'title', item.title, report, 500);
    checkStage(item, 'stage', item.stage, scope, report);
  }
  const titles = checklist.map((holder) => ({
    holder,
    key: 'title',
    text: `${holder.stage}\n${holder.title}`,
  }));
  checkDistinct(titles, 'is the title of another item of that stage', report);
}
