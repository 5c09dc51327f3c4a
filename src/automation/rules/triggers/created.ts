import Type from 'typebox';
import { triggerType } from '../trigger.js';

export const created = triggerType(
  Type.Object({}, { title: 'A task is created', description: 'A new task was created.', examples: [{}] }),
  {
    types: ['task.created'],
    compile: () => () => ({ isMet: true, because: 'the task was created' }),
  },
);
