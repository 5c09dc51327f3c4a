import Type, { type Static } from 'typebox';
import { type EntityManager } from 'typeorm';
import { kind, type NewlyStored } from '../../../../../src/workflows/model/kind.js';
import { refers } from '../../../../../src/workflows/model/marks.js';
import { closedMapping, idText, listSetting } from '../../../../../src/workflows/model/schema-parts.js';
import { setReminders } from './reminder-states.repository.js';

const reminder = Type.Object(
  {
    id: idText({ title: 'Id of the reminder', description: 'Identifies the reminder in its workflow.' }),
    field: Type.String({
      ...refers('field'),
      title: 'Field',
      description: 'The field that people are reminded of.',
    }),
    run: Type.Optional(
      Type.String({
        ...refers('action', { starts: true }),
        title: 'Run',
        description: 'The action that it would start.',
      }),
    ),
    every_days: Type.Integer({
      title: 'Days',
      description: 'How often it falls due.',
      minimum: 1,
      maximum: 365,
    }),
  },
  {
    ...closedMapping,
    title: 'Reminder',
    description: 'Falls due again and again.',
    examples: [{ id: 'look', field: 'Note', every_days: 7 }],
  },
);

export type ReminderDefinition = Static<typeof reminder>;

export const reminders = kind({
  name: 'reminder',
  list: 'reminders',
  of: 'workflow',
  key: ['id'],
  schema: listSetting(reminder, {
    title: 'Reminders',
    description: 'Reminders fall due again and again.',
    maxItems: 50,
  }),
  async settle(tx: EntityManager, { workspaceId, definition, workflowIds }: NewlyStored): Promise<void> {
    for (const workflow of definition.workflows) {
      const workflowId = workflowIds.get(workflow.id);
      if (workflowId !== undefined)
        await setReminders(tx, { workspaceId, workflowId }, reminders.in(workflow));
    }
  },
});
