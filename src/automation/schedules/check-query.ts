import { reasonOfFailure } from '../../actions/step.js';
import { english } from '../../common/message.js';
import { foundOnce, type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { draftSchema } from '../../workflows/model/draft-schema.js';
import { firingsOf } from './check-schedule.js';
import { type ScheduleDefinition } from './schedule-definition.js';
import { conditionsOf } from './task-query.js';

/** Reports a query that is invalid for the workflow of its schedule. */
export function checkQuery(schedule: ScheduleDefinition, scope: WorkflowScope, report: Report): void {
  const { for: query } = schedule;
  const [place] = firingsOf(schedule, scope);
  if (query === undefined || !place) return;
  try {
    conditionsOf(schemaOf(scope), query, place);
  } catch (error) {
    const reason = reasonOfFailure(error);
    if (reason === undefined) throw error;
    report(schedule, 'for', `is not a query of workflow ${scope.workflow.id}: ${english(reason)}`);
  }
}

const schemaOf = foundOnce((scope: WorkflowScope) => draftSchema(scope));
