import { empty, json, listOf, parameters, ref } from '../openapi/vocabulary.js';
import { describe, type OperationGroup } from '../openapi/operation.js';
import { ShownTimer, TimerPayload } from './timer.dto.js';
import { TimersController } from './timers.controller.js';

const body = { type: 'application/json', schema: ref('NewTimer') };

export const describeTimers = (): OperationGroup =>
  describe(
    TimersController,
    {
      name: 'Timers',
      description: 'Actions that start on a task later.',
      models: [ShownTimer, TimerPayload],
    },
    {
      list: {
        id: 'listTimers',
        summary: 'List the timers that wait',
        description: 'The next one first. Timers that have fired are runs of the task.',
        answers: { 200: json('The timers.', listOf(ref('Timer'))) },
      },
      add: {
        id: 'addTimer',
        summary: 'Start an action later',
        description:
          'At a time, or after a duration. The requirements of the action are checked at that time. A task has at most 100 timers.',
        parameters: [parameters.idempotencyKey],
        body,
        answers: { 201: json('The timer.', 'Timer', ['Location']) },
        refusals: ['409', '413', '415'],
      },
      replace: {
        id: 'replaceTimer',
        summary: 'Change a timer',
        description: 'If the timer has fired, the answer is 404.',
        body,
        answers: { 200: json('The timer.', 'Timer') },
        refusals: ['413', '415'],
      },
      remove: {
        id: 'removeTimer',
        summary: 'Remove a timer',
        description: 'Its action does not start. If the timer has fired, the answer is 404.',
        answers: { 204: empty('The timer was removed.') },
      },
    },
  );
