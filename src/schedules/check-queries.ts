import { compileSchema } from '../schema/compile-schema.js';
import { type LinkSource } from '../schema/properties/link.js';
import { Stages, type TaskSchema } from '../schema/task-schema.js';
import { type Report, type WorkflowScope, type WorkspaceScope } from '../workspace/check/kit.js';
import { reasonOfFailure } from '../actions/step.js';
import { type ScheduleDefinition } from '../workspace/schedule-definition.js';
import { firingsOf } from './check-schedules.js';
import { conditionsOf } from './task-query.js';
import { english } from '../lib/message.js';

/** Reports queries of schedules that are invalid for their workflow. Call it only if nothing else is wrong. */
export function checkQueries(scope: WorkspaceScope, report: Report): void {
  for (const workflow of scope.workflows.values()) {
    const asking = workflow.workflow.schedules.filter((schedule) => schedule.for !== undefined);
    if (asking.length === 0) continue;
    const schema = draftSchema(workflow);
    for (const schedule of asking) checkQuery(schedule, schema, workflow, report);
  }
}

function checkQuery(
  schedule: ScheduleDefinition,
  schema: TaskSchema,
  scope: WorkflowScope,
  report: Report,
): void {
  const [place] = firingsOf(schedule, scope);
  if (!place) return;
  try {
    conditionsOf(schema, schedule.for ?? '', place);
  } catch (error) {
    const reason = reasonOfFailure(error);
    if (reason === undefined) throw error;
    report(schedule, 'for', `is not a query of workflow ${scope.workflow.id}: ${english(reason)}`);
  }
}

/** The schema of tasks of a workflow that is not stored yet; without its links if no query needs them. */
export function draftSchema(
  { workspace, workflow }: WorkflowScope,
  links: readonly LinkSource[] = [],
): TaskSchema {
  const { id, search = false, fields } = workflow;
  const stages = workflow.stages.map(({ name, end, outcome = 'done', enter }, at) => ({
    id: at,
    name,
    isEnd: end,
    outcome,
    enter,
    settings: {},
  }));
  const [first] = stages;
  const initial = stages[workflow.stages.findIndex((stage) => stage.initial)] ?? first;
  if (!initial) throw new Error('a workflow without stages was passed');
  return compileSchema({
    workflow: id,
    search,
    stages: new Stages(stages, initial),
    fields: fields.map(({ name, type, required, editable, was: _was, ...settings }) => ({
      ...{ id: name, name, type, required, editable, settings },
    })),
    clocks: workflow.clocks.map((clock) => clock.id),
    links,
    users: workspace.users,
    taskUrl: '',
  });
}
