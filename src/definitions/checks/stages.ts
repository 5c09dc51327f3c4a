import { checkDistinct, checkName } from './names.js';
import { checkStage } from './references.js';
import { type Report } from './report.js';
import { type WorkflowScope } from './scope.js';

/** Reports what is wrong with the stages of a workflow. */
export function checkStages(scope: WorkflowScope, report: Report): void {
  const { stages, removed_stages = [] } = scope.workflow;
  if (stages.length === 0) report(scope.workflow, 'stages', 'needs at least one stage');
  for (const stage of stages) checkName(stage, 'name', stage.name, report);
  const names = [...stages, ...removed_stages].map((holder) => ({ holder, key: 'name', text: holder.name }));
  checkDistinct(names, 'is the name of another stage', report);
  for (const stage of stages.filter(({ initial }) => initial).slice(1)) {
    report(stage, 'initial', 'is said of another stage already');
  }
  for (const holder of [scope.workflow, ...removed_stages]) {
    const target = holder.move_tasks_to;
    if (target !== undefined) checkStage(holder, 'move_tasks_to', target, scope, report);
  }
}
