import { ActionsController } from '../actions/actions.controller.js';
import { ExecutionQuery, ExecutionsQuery, ShownExecution, StartPayload } from './execution.dto.js';
import { ExecutionsController } from './executions.controller.js';
import { empty, json, type HeaderName, parameters, listOf, oneOf, ref } from '../openapi/vocabulary.js';
import { ActionsQuery, ShownAction } from '../actions/action.dto.js';
import { describe, type OperationGroup } from '../openapi/operation.js';

const group: OperationGroup = {
  name: 'Actions',
  description: 'What can be done with a task, and what came of it.',
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
        'Those of the stage that the task is in. With `_explain` all actions of the workflow, each with what stands in its way.',
      query: ActionsQuery,
      answers: { 200: json('The actions.', listOf(ref('Action'))) },
    },
  });
  return describe(ExecutionsController, group, {
    start: {
      id: 'startExecution',
      summary: 'Perform an action',
      description:
        'The execution goes on by itself: poll it, or wait for it by `Prefer`. Repeated with its `Idempotency-Key`, the request names the same execution with its present status.',
      parameters: [prefer, idempotencyKey],
      body: { type: 'application/json', schema: ref('NewExecution') },
      answers: {
        200: json('It has ended: after a wait, or when the request was repeated.', 'Execution', started),
        202: json('It was begun.', 'Execution', started),
      },
      refusals: ['409', '413', '415', '422-execution'],
    },
    list: {
      id: 'listExecutions',
      summary: 'List executions, newest first',
      description:
        'Of the workflow, or of the task that `task_id` names. Executions that have ended are kept for 90 days, unless the service is set otherwise.',
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
        'It ends as `Fail` with the error `was cancelled`. One that has begun to run, or has ended, is 409.',
      answers: { 204: empty('It ends as `Fail`.', ['Event-Id']) },
      refusals: ['409'],
    },
  });
}
