import { kind } from '../../workflows/model/kind.js';
import { listSetting } from '../../workflows/model/schema-parts.js';
import { checkClock } from './check-clock.js';
import { clock } from './clock-definition.js';

export const clocks = kind({
  name: 'clock',
  list: 'clocks',
  of: 'workflow',
  key: ['id'],
  schema: listSetting(clock, {
    title: 'Clocks',
    description: 'Deadlines of tasks, with reminders and escalations.',
    maxItems: 50,
  }),
  check: checkClock,
});
