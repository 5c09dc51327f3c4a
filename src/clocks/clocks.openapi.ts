import { json, listOf, ref } from '../openapi/vocabulary.js';
import { describe, type OperationGroup } from '../openapi/operation.js';
import { ShownClock } from './clock.dto.js';
import { ClocksController } from './clocks.controller.js';

export const describeClocks = (): OperationGroup =>
  describe(
    ClocksController,
    { name: 'Clocks', description: 'Deadlines of tasks.', models: [ShownClock] },
    {
      list: {
        id: 'listClocks',
        summary: 'List the clocks of a task',
        description: 'The clocks that have begun, in the order of the definition.',
        answers: { 200: json('The clocks.', listOf(ref('Clock'))) },
      },
    },
  );
