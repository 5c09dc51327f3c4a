import { type Json } from '../../../packages/exact-json/json.js';
import { deliveryStates } from '../../common/column-values.js';
import { nowhere, readStretch } from '../../common/http/paged-list.js';
import { type Delivery, type Webhook } from '../../webhooks/webhook.dto.js';
import { WebhooksService } from '../../webhooks/webhooks.service.js';
import { type AskedOfWebhook } from '../../webhooks/webhooks.service.js';
import { StateBadge, stateName } from '../parts/badge.js';
import { sentValue } from '../parts/control.js';
import { Instant } from '../parts/time.js';
import { ListPart, readAdminList } from './admin-list.js';
import { type AdminList, adminPath, type AdminPage, type AdminRequest, type FactRow, originOf, pageOf, type SentOperation, type ShownThing } from './admin-page.js'; // prettier-ignore
import { ButtonForm } from '../parts/form.js';
import { Section } from './admin-thing.js';
import { payloadOf, webhookValues, webhookControls, webhookIdControl } from './webhook-form.js';

export const webhooksPage: AdminPage<Webhook> = {
  path: 'webhooks',
  one: 'webhook',
  isOfWorkspace: true,
  title: 'Webhooks',
  icon: 'link',
  lead: 'A webhook sends events of tasks to an address, each signed with a secret.',
  empty: ['No webhooks yet', 'Add one here, with the API, or in the definition.'],
  async rows({ reader, get }) {
    const shown = await get(WebhooksService).list(reader.workspace);
    return { shown, count: shown.length };
  },
  line: (webhook) => ({
    href: adminPath('webhooks', webhook.id),
    state: <WebhookBadge {...webhook} />,
    title: webhook.id,
    under: <span class="muted">{webhook.url}</span>,
    asides: [<span class="muted">{webhook.events.slice(0, 2).join(', ') + (webhook.events.length > 2 ? ', …' : '')}</span>], // prettier-ignore
    due: webhook.failing_since !== null && <Instant at={new Date(webhook.failing_since)} isShort />,
  }),
  find: ([id = ''], { reader, get }) => get(WebhooksService).read(reader.workspace, id),
  show: showWebhook,
  create: {
    title: 'New webhook',
    form: (_, { reader }) => ({
      title: 'New webhook',
      button: 'Create webhook',
      controls: [...webhookControls(reader), webhookIdControl],
      values: new URLSearchParams({ include: 'changes' }),
    }),
    async run(_, { reader, get, form, key }) {
      const { id } = await get(WebhooksService).add(reader.workspace, payloadOf(form, reader), {
        key,
        origin: originOf(reader),
      });
      return { key: [id], ...secretOf(id, await get(WebhooksService).secret(reader.workspace, id)) };
    },
  },
  operations: {
    enable: {
      title: 'Resume where it stopped',
      look: 'primary',
      isAllowed: ({ state }) => state !== 'active',
      run: doing('enable', { from: 'where_it_stopped' }),
    },
    'enable-now': {
      title: 'Resume from now',
      isAllowed: ({ state }) => state !== 'active',
      run: doing('enable', { from: 'now' }),
    },
    pause: {
      title: 'Pause',
      isAllowed: ({ state }) => state === 'active',
      run: doing('pause'),
    },
    test: {
      title: 'Send a test',
      run: doing('test'),
      done: () => 'A test is on its way.',
    },
    'replay-failed': {
      title: 'Send all failed events again',
      run: (webhook, sent) => replay(webhook, sent, { state: 'failed' }),
      done: sentAgain,
    },
    'replay-one': {
      title: 'Send again',
      isElsewhere: true,
      run: (webhook, sent) => replay(webhook, sent, { deliveries: [sent.form.get('delivery') ?? ''] }),
      done: sentAgain,
    },
    replay: {
      title: 'Send events again since',
      form: (_, { reader }) => ({
        title: 'Send events again',
        button: 'Send again',
        controls: [{ name: 'from', label: 'Since', isRequired: true, ask: { by: 'instant' } }],
        values: new URLSearchParams({ from: new Date(reader.now.getTime() - HOUR_MS).toISOString() }),
      }),
      run: (webhook, sent) => {
        const { reader, form } = sent;
        const from = String(sentValue({ by: 'instant' }, form.getAll('from'), reader));
        // The end is a little later than now, to include events of this moment.
        return replay(webhook, sent, { from, to: new Date(reader.now.getTime() + 60_000).toISOString() });
      },
      done: sentAgain,
    },
    edit: {
      title: 'Edit',
      isAllowed: ({ managed_by }) => managed_by === 'api',
      form: (webhook, { reader }) => ({
        title: `Edit ${webhook.id}`,
        button: 'Save',
        controls: webhookControls(reader),
        values: webhookValues(webhook, reader),
      }),
      async run({ id }, { reader, get, form }) {
        await get(WebhooksService).replace(reader.workspace, id, payloadOf(form, reader), originOf(reader));
      },
      done: () => 'The webhook is saved.',
    },
    rotate: {
      title: 'Create a new secret',
      isShownOnce: true,
      async run(webhook, sent) {
        return secretOf(webhook.id, await sent.get(WebhooksService).rotate(askedOf(webhook, sent)));
      },
    },
    remove: {
      title: 'Remove',
      look: 'danger',
      isAllowed: ({ managed_by }) => managed_by === 'api',
      asks: ({ id }) => ({
        title: `Remove “${id}”?`,
        text: <p>No more events are sent to it, and the list of its deliveries is deleted.</p>,
      }),
      async run({ id }, { reader, get }) {
        await get(WebhooksService).remove(reader.workspace, id, originOf(reader));
        return { key: [] };
      },
      done: () => 'The webhook is removed.',
    },
  },
};

const HOUR_MS = 3_600_000;

function doing(verb: 'enable' | 'pause' | 'test', body?: Readonly<Record<string, Json>>) {
  return async (webhook: Webhook, sent: SentOperation): Promise<void> => {
    await sent.get(WebhooksService)[verb](askedOf(webhook, sent, body));
  };
}

function sentAgain(count: number): string {
  return count === 1 ? '1 event is sent again.' : `${count} events are sent again.`;
}

async function replay(webhook: Webhook, sent: SentOperation, which: Readonly<Record<string, Json>>) {
  const { replayed } = await sent.get(WebhooksService).replay(askedOf(webhook, sent, which));
  return { count: replayed };
}

function askedOf(
  { id }: Webhook,
  { reader, key }: SentOperation,
  body: Readonly<Record<string, Json>> = {},
): AskedOfWebhook {
  return {
    workspace: reader.workspace,
    webhookId: id,
    body: new Map(Object.entries(body)),
    key,
    origin: originOf(reader),
  };
}

const secretOf = (id: string, { secret }: { readonly secret: string }) => ({
  secret: {
    title: `The secret of ${id}`,
    value: secret,
    about: 'The receiver uses it to check that an event comes from here. Copy it now: it is not shown again. A former secret signs for 24 hours more, so that the receiver can switch.', // prettier-ignore
  },
});

const WebhookBadge = ({ state, failing_since }: Webhook) => (
  <StateBadge state={state === 'active' && failing_since !== null ? 'failing' : state} />
);

async function showWebhook(webhook: Webhook, asked: AdminRequest): Promise<ShownThing> {
  const list = deliveriesOf(webhook);
  const read = await readAdminList(list, asked);
  const values = webhookValues(webhook, asked.reader);
  const { id, managed_by } = webhook;
  return {
    title: id,
    badge: <WebhookBadge {...webhook} />,
    why: whyNothing(webhook),
    facts: [
      ...webhookControls(asked.reader).map(({ name, label }): FactRow => [
        label,
        values.getAll(name).join(', '),
      ]),
      [
        'Managed by',
        managed_by === 'definition' ? 'the definition: change it there' : 'the API or this page',
      ],
    ],
    parts: (
      <Section id="deliveries" title={list.title}>
        <ListPart list={list} read={read} asked={asked} />
      </Section>
    ),
  };
}

/** Why a webhook gets no deliveries, or since when deliveries fail. */
function whyNothing({ state, failing_since }: Webhook) {
  if (state === 'paused')
    return <p class="why stack plain">No events are sent. They are kept until you resume it.</p>;
  if (state === 'disabled')
    return (
      <p class="why stack">
        No events are sent: the receiver said that it is gone, or all deliveries failed for days.
      </p>
    );
  if (failing_since === null) return undefined;
  return (
    <p class="why">
      No delivery has succeeded since <Instant at={new Date(failing_since)} />
    </p>
  );
}

const deliveriesOf = (webhook: Webhook): AdminList<Delivery> => ({
  title: 'Deliveries',
  icon: 'link',
  empty: ['No deliveries yet', 'Send a test to see whether it arrives.'],
  filters: () => [
    { name: 'state', label: 'State', options: deliveryStates.map((one) => [one, stateName(one)]) },
  ],
  async rows({ reader, get }, { state, after }) {
    const query = pageOf(deliveryStates, state, after);
    const holder = { keyId: reader.user.id };
    return readStretch<Delivery>(
      await get(WebhooksService).deliveries(reader.workspace, holder, webhook.id, query, nowhere),
    );
  },
  line: (delivery) => ({
    state: <StateBadge state={delivery.state} />,
    title: delivery.type,
    under: answerOf(delivery),
    asides: [
      delivery.next_at !== null && (
        <span class="muted">
          Next try: <Instant at={new Date(delivery.next_at)} isShort />
        </span>
      ),
    ],
    due: (
      <>
        <Instant at={new Date(delivery.at)} isShort />
        <ButtonForm
          look="quiet small"
          action={adminPath('webhooks', webhook.id, 'replay-one')}
          label={`Send again: ${delivery.type}`}
          fields={{ delivery: delivery.id }}
        >
          Send again
        </ButtonForm>
      </>
    ),
  }),
});

/** What the last try was answered, how long it took, and how many tries there were. */
function answerOf({ status, cause, took_ms, tries }: Delivery) {
  if (tries === 0 && cause === null) return null;
  const took = took_ms === null ? '' : ` · ${took_ms} ms`;
  return (
    <span>
      {cause === null ? (status ?? 'no answer') : <span class="late">{cause}</span>}
      <span class="muted">{`${took} · ${tries === 1 ? '1 try' : `${tries} tries`}`}</span>
    </span>
  );
}
