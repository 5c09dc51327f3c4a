import { isAvailable } from '../../actions/action.js';
import { type ExplainedAction } from '../../actions/actions.service.js';
import { type PageApproval } from '../../approvals/approval.dto.js';
import { type Property } from '../../workflows/fields/property.js';
import { isBlankValue, shownValueOf } from './task-view.js';
import { type TaskData } from './task-data.js';

/** Where the page says what comes next. */
export const NEXT = 'next-action';

type Explained = Pick<TaskData, 'actions' | 'scope' | 'task'>;

/** The actions of the stage in which the task stands. */
export function actionsHere({ actions, scope, task }: Explained): ExplainedAction[] {
  const stage = scope.workflow.schema.stages.get(task.stageId).name;
  return actions.filter(({ action }) => isAvailable(action, stage));
}

/** The first that the reader's role has is what the stage is for: where it has to wait, no other takes its place. */
export function nextOf(data: Explained): ExplainedAction | undefined {
  const here = actionsHere(data);
  return here.find(({ unmet }) => !unmet.some(({ isOfRole }) => isOfRole)) ?? here[0];
}

/** Whether the next action needs a value of this key, which is blank: its place asks for it at once. */
export function isMissing(data: Explained, property: Property): boolean {
  const isNeeded = nextOf(data)?.unmet.some(({ about }) => about === property.name) === true;
  return isNeeded && isBlankValue(shownValueOf(property, data));
}

/** The groups of approvals that what can be done here needs. */
export const wantedApprovals = ({ approvals }: Pick<TaskData, 'approvals'>): PageApproval[] =>
  approvals.filter(({ isOffered, needed }) => isOffered && needed > 0);

/** Whether a group waits for the reader's own decision. */
export const isOwnDecision = ({ mayDecide, own }: PageApproval): boolean => mayDecide && own === null;
