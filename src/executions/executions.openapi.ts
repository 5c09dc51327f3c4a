import { ActionsController } from '../actions/actions.controller.js';
import { ExecutionQuery, ExecutionsQuery, ShownExecution, StartPayload } from './execution.dto.js';
import { ExecutionsController } from './executions.controller.js';
import { empty, json, type HeaderName, parameters, listOf, oneOf, ref } from '../openapi/vocabulary.js';
import { ActionsQuery, ShownAction } from '../actions/action.dto.js';
import { describe, type OperationGroup } from '../openapi/operation.js';

const group: OperationGroup = {
  name: 'Actions',
  description: 'The actions on tasks, and their executions.',
  models: [ShownAction, ShownExecution, StartPayload],
  open: ['NewExecution'],
  schemas: { ActionId: oneOf([], 'The id of an action of the workflow.') },
};
const { prefer, idempotencyKey } = parameters;
const started: readonly HeaderName[] = ['Location', 'Preference-Applied', 'Event-Id'];

export function describeExecutions(): OperationGroup {
  describe(ActionsController, group, {
    list: {
      id: 'listActions',
      summary: 'List the actions that are available',
      description:
        'The actions of the stage that the task is in. With `_explain`, all actions of the workflow, each with its unmet requirements.',
      query: ActionsQuery,
      answers: { 200: json('The actions.', listOf(ref('Action'))) },
    },
  });
  return describe(ExecutionsController, group, {
    start: {
      id: 'startExecution',
      summary: 'Perform an action',
      description:
        'The execution runs in the background: poll it, or wait for it with `Prefer`. A request repeated with its `Idempotency-Key` answers with the same execution and its current status.',
      parameters: [prefer, idempotencyKey],
      body: { type: 'application/json', schema: ref('NewExecution') },
      answers: {
        200: json('The execution has ended: after a wait, or for a repeated request.', 'Execution', started),
        202: json('The execution is pending.', 'Execution', started),
      },
      refusals: ['409', '413', '415', '422-execution'],
    },
    list: {
      id: 'listExecutions',
      summary: 'List executions, newest first',
      description:
        'Executions of the workflow, or of the task named by `task_id`. Executions that have ended are kept for 90 days by default.',
      query: ExecutionsQuery,
      answers: { 200: json('The executions.', listOf(ref('Execution')), ['Link']) },
    },
    read: {
      id: 'readExecution',
      summary: 'Read an execution',
      description: 'Poll it until it is no longer `Pending`, or let `Prefer: wait=N` wait for its end.',
      query: ExecutionQuery,
      parameters: [prefer],
      answers: { 200: json('The execution.', 'Execution', ['Preference-Applied']) },
    },
    cancel: {
      id: 'cancelExecution',
      summary: 'Cancel an execution that has not begun',
      description:
        'It ends as `Fail` with the error `was cancelled`. If it has begun to run, or has ended, the answer is 409.',
      answers: { 204: empty('The execution ends as `Fail`.', ['Event-Id']) },
      refusals: ['409'],
    },
  });
}
