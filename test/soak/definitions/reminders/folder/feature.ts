import { sql } from '../../../../../src/common/database/sql.js';
import { type Sweep } from '../../../../../src/common/ops/job-kind.js';
import { ReminderStateEntity } from './reminder-state.entity.js';
import { fireReminders } from './reminder-states.repository.js';
import { shownReminders } from './shown-reminders.js';

const firing: Sweep = {
  name: 'reminder',
  next: '(SELECT min(due_at) FROM reminder_states)',
  async sweep({ db }) {
    await sql(db, fireReminders, []);
  },
};

/** What this folder brings to the service. */
export const remindersFeature = {
  kinds: [shownReminders],
  sweeps: [firing],
  entities: [ReminderStateEntity],
};
