import { eventTypes } from '../common/named-by-features.js';
import { weaker, whenChanged, whenOthers, whenWider } from '../workflows/fields/weaker.js';
import Type, { type Static } from 'typebox';
import { refers } from '../workflows/model/marks.js';
import { closedMapping, idText, requestHeaders } from '../workflows/model/schema-parts.js';

export const webhook = Type.Object(
  {
    id: idText({ title: 'Id of the webhook', description: 'Identifies the webhook in the workspace.' }),
    url: Type.String({
      ...weaker(whenChanged),
      title: 'URL',
      description: 'The http or https address to which events are sent by POST.',
      minLength: 1,
      maxLength: 2048,
      examples: ['https://billing.acme.test/hooks/wts'],
    }),
    events: Type.Array(Type.Enum(eventTypes, { type: 'string' }), {
      ...weaker(whenOthers),
      title: 'Events',
      description: 'Types of events.',
      minItems: 1,
      uniqueItems: true,
      examples: [['task.created', 'execution.failed']],
    }),
    workflows: Type.Optional(
      Type.Array(Type.String(), {
        ...refers('workflow', { isCheckedThere: true }),
        ...weaker(whenWider),
        title: 'Workflows',
        description: 'Ids of workflows whose events are sent. Default: all events of the workspace.',
        minItems: 1,
        maxItems: 500,
      }),
    ),
    when: Type.Optional(
      Type.String({
        ...weaker(whenChanged),
        title: 'When',
        description:
          'A CEL expression that must be true. It requires exactly one workflow in `workflows`. It can read task["Field"] (the value after the event) and before["Field"] (the value before the event).',
        examples: ['task["Contract Value"] != before["Contract Value"]'],
      }),
    ),
    headers: requestHeaders('May hold {{secret.NAME}}.'),
  },
  {
    ...closedMapping,
    title: 'Webhook',
    description: 'Another system that receives events.',
    examples: [
      {
        id: 'billing',
        url: 'https://billing.acme.test/hooks/wts',
        events: ['task.created', 'task.updated'],
        workflows: ['requests'],
        when: 'task["Contract Value"] > 1000',
        headers: { 'X-Team': '{{secret.TEAM}}' },
      },
    ],
  },
);

export type WebhookDefinition = Static<typeof webhook>;
