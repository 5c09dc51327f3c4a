import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type ShownKind } from '../../../../../src/workflows/model/shown-kind.js';
import { remindersOf, skipReminder } from './reminder-states.repository.js';
import { type ReminderDefinition, reminders } from './reminders.kind.js';

@ApiSchema({ name: 'Reminder' })
export class ShownReminder {
  @ApiProperty({ description: 'The id in the definition.' })
  readonly id!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When it falls due.' })
  readonly due_at!: string | null;

  @ApiProperty({ description: 'How often it fell due.' })
  readonly fired!: number;
}

export const shownReminders: ShownKind<ReminderDefinition, ShownReminder> = {
  ...reminders,
  shown: ShownReminder,
  description: 'In the order of the definition.',
  async show(db, { workspaceId, workflow }) {
    const states = await remindersOf(db, { workspaceId, workflowId: workflow.id });
    return reminders.in(workflow).map(({ id }) => {
      const state = states.get(id);
      return { id, due_at: state?.dueAt.toISOString() ?? null, fired: state?.fired ?? 0 };
    });
  },
  operations: {
    skip: {
      title: 'Skip a reminder once',
      description: 'It falls due one period later.',
      run: (tx, { id }, { workspaceId, workflow }) =>
        skipReminder(tx, { workspaceId, workflowId: workflow.id }, id),
    },
  },
};
