import { checkDistinct, checkName } from './names.js';
import { checkStage } from './references.js';
import { type Report } from './report.js';
import { type WorkflowScope } from './scope.js';

/** Reports what is wrong with the stages of a workflow. */
export function checkStages(scope: WorkflowScope, report: Report): void {
  const { stages, move_tasks_to } = scope.workflow;
  if (stages.length === 0) report(scope.workflow, 'stages', 'needs at least one stage');
  for (const stage of stages) checkName(stage, 'name', stage.name, report);
  const names = stages.map((holder) => ({ holder, key: 'name', text: holder.name }));
  checkDistinct(names, 'is the name of another stage', report);
  for (const stage of stages.filter(({ initial }) => initial).slice(1)) {
    report(stage, 'initial', 'is said of another stage already');
  }
  if (move_tasks_to !== undefined) checkStage(scope.workflow, 'move_tasks_to', move_tasks_to, scope, report);
}
