import { type VNode } from 'preact';
import { type Json } from '../../../packages/exact-json/json.js';
import { deliveryStates } from '../../common/column-values.js';
import { fewAtATime } from '../../common/each.js';
import { nowhere, readStretch } from '../../common/http/paged-list.js';
import { type Delivery, type Webhook } from '../../webhooks/webhook.dto.js';
import { WebhooksService } from '../../webhooks/webhooks.service.js';
import { StateBadge, stateName } from '../parts/badge.js';
import { ButtonForm } from '../parts/form.js';
import { Instant } from '../parts/time.js';
import { type AdminLine, type AdminList, type AdminOperation, adminPath, type AdminPage, type AdminRequest, originOf, type SentOperation, type ThingPage } from './admin-page.js'; // prettier-ignore

export const webhooksPage: AdminPage = {
  path: 'webhooks',
  one: 'webhook',
  isOfWorkspace: true,
  title: 'Webhooks',
  icon: 'link',
  lead: 'A webhook sends events to an address, and signs each event with a secret.',
  empty: ['No webhooks yet', 'Add one with the API, or in the definition.'],
  async read(asked) {
    const { reader, get } = asked;
    const all = await get(WebhooksService).list(reader.workspace);
    const lines = await fewAtATime(all, async (webhook) => {
      const isFailing = webhook.failing_since !== null;
      const { shown } = isFailing ? await readDeliveries(asked, webhook.id) : { shown: [] };
      return webhookLine(
        webhook,
        shown.find(({ cause }) => cause !== null),
      );
    });
    return { lines, count: lines.length };
  },
  async open([id = ''], asked) {
    const webhook = await asked.get(WebhooksService).read(asked.reader.workspace, id);
    return { page: webhookPage(webhook), operations: operationsOn(webhook, asked) };
  },
};

const webhookLine = (webhook: Webhook, failure?: Delivery): AdminLine => ({
  href: adminPath('webhooks', webhook.id),
  state: <WebhookBadge {...webhook} />,
  title: webhook.id,
  under: (
    <>
      <span class="muted">{webhook.url}</span>
      {failure && <span class="late">{failure.cause}</span>}
    </>
  ),
  asides: [<span class="muted">{webhook.events.slice(0, 2).join(', ') + (webhook.events.length > 2 ? ', …' : '')}</span>], // prettier-ignore
  due: failure && (
    <>
      Last failure: <Instant at={new Date(failure.at)} isShort />
    </>
  ),
});

function operationsOn({ id, state }: Webhook, { reader, get }: AdminRequest) {
  const isActive = state === 'active';
  const doing =
    (
      verb: 'enable' | 'pause' | 'test' | 'replay',
      bodyOf: (form: URLSearchParams) => Readonly<Record<string, Json>> = () => ({}),
    ) =>
    async ({ form, key }: SentOperation): Promise<void> => {
      const body = new Map(Object.entries(bodyOf(form)));
      const { workspace } = reader;
      await get(WebhooksService)[verb]({ workspace, webhookId: id, body, key, origin: originOf(reader) });
    };
  return {
    enable: !isActive && { title: 'Resume', run: doing('enable') },
    pause: isActive && { title: 'Pause', run: doing('pause') },
    test: { title: 'Send a test', run: doing('test') },
    'replay-failed': {
      title: 'Send all failed events again',
      run: doing('replay', (form) => (form.has('delivery') ? { deliveries: form.getAll('delivery') } : {})),
    },
  } satisfies Record<string, AdminOperation | false>;
}

const WebhookBadge = ({ state, failing_since }: Webhook) => (
  <StateBadge state={state === 'active' && failing_since !== null ? 'failing' : state} />
);

function webhookPage(webhook: Webhook): ThingPage {
  const { id, url, events, workflows, when, headers, managed_by } = webhook;
  return {
    title: id,
    badge: <WebhookBadge {...webhook} />,
    facts: [
      ['Address', url],
      ['Events', events.join(', ')],
      ['Workflows', workflows?.join(', ')],
      ['Condition', when],
      ['Headers', Object.entries(headers).map((header) => header.join(': ')).join(', ')], // prettier-ignore
      ['Managed by', managed_by === 'definition' ? 'the definition' : 'the API'],
    ],
    list: deliveriesOf(id),
  };
}

const deliveriesOf = (id: string): AdminList => ({
  title: 'Deliveries',
  icon: 'link',
  empty: ['No deliveries yet', 'Send a test to see whether it arrives.'],
  filters: () => [
    { name: 'state', label: 'State', options: deliveryStates.map((one) => [one, stateName(one)]) },
  ],
  async read(asked, chosen) {
    const { shown, next } = await readDeliveries(asked, id, chosen);
    return { lines: shown.map((delivery) => deliveryLine(id, delivery)), next };
  },
});

async function readDeliveries(asked: AdminRequest, id: string, { state, after }: ChosenDeliveries = {}) {
  const { reader, get } = asked;
  const { workspace, user } = reader;
  const query = { _limit: '50', _after: after, state: deliveryStates.find((one) => one === state) };
  const found = get(WebhooksService).deliveries(workspace, { keyId: user.id }, id, query, nowhere);
  return readStretch<Delivery>(await found);
}

type ChosenDeliveries = Readonly<Record<string, string | undefined>>;

const deliveryLine = (webhook: string, delivery: Delivery): AdminLine => ({
  state: <StateBadge state={delivery.state} />,
  title: delivery.type,
  under: answerOf(delivery),
  due: (
    <>
      <Instant at={new Date(delivery.at)} isShort />
      <ButtonForm
        look="quiet small"
        action={adminPath('webhooks', webhook, 'replay-failed')}
        label={`Send again: ${delivery.type}`}
        fields={{ delivery: delivery.id }}
      >
        Send again
      </ButtonForm>
    </>
  ),
});

/** The result and duration of the last try, and the number of tries. */
function answerOf({ status, cause, took_ms, tries }: Delivery): VNode | null {
  if (tries === 0 && cause === null) return null;
  const took = took_ms === null ? '' : ` · ${took_ms} ms`;
  return (
    <span>
      {cause === null ? (status ?? 'no answer') : <span class="late">{cause}</span>}
      <span class="muted">{`${took} · ${tries === 1 ? '1 try' : `${tries} tries`}`}</span>
    </span>
  );
}
