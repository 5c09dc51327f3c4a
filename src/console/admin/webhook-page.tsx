import { useReader } from '../reader.js';
import { en } from './words.js';
import { type VNode } from 'preact';
import { type DeliveryState, deliveryStates } from '../../database/column-values.js';
import { type Delivery, type Webhook } from '../../webhooks/webhook.dto.js';
import { Badge, type Tone } from '../parts/badge.js';
import { Dialog, opens } from '../parts/dialog.js';
import { ButtonForm, Faults, Form, FormKey } from '../parts/form.js';
import { Sayings, said } from '../parts/sayings.js';
import { ShownOnce } from '../parts/shown-once.js';
import { Table } from '../parts/table.js';
import { Instant } from '../parts/time.js';
import { clockIn } from '../zone.js';
import { type Notice } from '../parts/notices.js';
import { addressOf, ListKinds, MorePages, Nothing } from './admin-list.js';
import { DetailPage, type FactRow, Facts, Section } from './admin-page.js';
import { type Administrator } from './admin-pages.js';
import { WebhookBadge, webhookPath } from './webhooks-page.js';

/** A page of what was sent to a webhook, or is to be. */
export interface Deliveries {
  readonly state: DeliveryState | undefined;
  readonly isFirst: boolean;
  readonly rows: readonly Delivery[];
  readonly next: string | undefined;
}

interface WebhookView {
  readonly reader: Administrator;
  readonly webhook: Webhook;
  readonly deliveries: Deliveries;
  readonly notice: Notice | undefined;
  /** Its secret, where that was just made. */
  readonly secret: string | undefined;
  /** Whether the page asks if it is to be removed. */
  readonly isAsking: boolean;
  readonly live: string | undefined;
}

/** A webhook: whether it gets through, what it was sent, and what can be done about it. */
export function WebhookPage(view: WebhookView): VNode {
  const { webhook, deliveries, notice, secret, live } = view;
  const { admin } = en;
  const words = admin.webhook;
  return (
    <DetailPage
      title={webhook.id}
      badge={<WebhookBadge webhook={webhook} />}
      lead={webhook.url}
      above={{ href: '/admin/webhooks', name: admin.webhooks }}
      notice={notice}
      live={live}
    >
      {secret !== undefined && (
        <ShownOnce title={words.secretOf(webhook.id)} secret={secret}>
          {words.secretMore}
        </ShownOnce>
      )}
      <State {...view} />
      <Controls {...view} />
      <Section id="deliveries" isLandmark={false} title={words.deliveries} beside={<States {...view} />}>
        {deliveries.rows.length === 0 ? (
          <Nothing
            there={
              deliveries.state
                ? ['link', words.noSuchDeliveries]
                : ['link', words.noDeliveries, words.noDeliveriesMore]
            }
          />
        ) : (
          <DeliveryTable {...view} />
        )}
        <MorePages
          path={webhookPath(webhook)}
          query={{ state: deliveries.state }}
          next={deliveries.next}
          isFirst={deliveries.isFirst}
        />
        <Replays {...view} />
      </Section>
      <Settings {...view} />
      <Secret {...view} />
    </DetailPage>
  );
}

/** Why it is sent nothing, or since when nothing gets through. */
function State({ webhook: { state, failing_since } }: WebhookView): VNode | null {
  const words = en.admin.webhook;
  if (state === 'paused') return <p class="why stack plain">{words.pausedWhy}</p>;
  if (state === 'disabled') return <p class="why stack">{words.disabledWhy}</p>;
  if (failing_since === null) return null;
  return (
    <p class="why stack">
      <span>
        {words.failingSince} <Instant at={new Date(failing_since)} />
      </span>
    </p>
  );
}

function Controls({ webhook }: WebhookView): VNode {
  const words = en.admin.webhook;
  const path = webhookPath(webhook);
  return (
    <div class="actions">
      {webhook.state === 'active' ? (
        <ButtonForm action={`${path}/pause`}>{words.pause}</ButtonForm>
      ) : (
        <>
          <ButtonForm action={`${path}/enable`} look="primary" fields={{ from: 'where_it_stopped' }}>
            {words.resume}
          </ButtonForm>
          <ButtonForm action={`${path}/enable`} fields={{ from: 'now' }}>
            {words.resumeNow}
          </ButtonForm>
        </>
      )}
      <ButtonForm action={`${path}/test`}>{words.test}</ButtonForm>
    </div>
  );
}

function States({ webhook, deliveries }: WebhookView): VNode {
  const { admin } = en;
  const words = admin.webhook;
  return (
    <ListKinds
      label={en.time.state}
      kinds={[undefined, ...deliveryStates].map((state) => [
        addressOf(webhookPath(webhook), { state }),
        state === undefined ? en.board.any : words.deliveryStates[state],
        state === deliveries.state,
      ])}
    />
  );
}

const tones: Readonly<Record<string, Tone>> = { pending: 'waiting', delivered: 'good', failed: 'bad' };

function DeliveryTable({ webhook, deliveries }: WebhookView): VNode {
  const words = en.admin.webhook;
  const instant = (at: string): VNode => <Instant at={new Date(at)} isShort />;
  return (
    <Table
      caption={words.deliveries}
      head={[
        en.time.state,
        words.event,
        words.answer,
        words.tries,
        words.at,
        words.next,
        <span class="visually-hidden">{words.replay}</span>,
      ]}
      rows={deliveries.rows.map((delivery) => [
        <Badge tone={tones[delivery.state] ?? 'plain'}>{words.deliveryStates[delivery.state]}</Badge>,
        <span class="nowrap">{delivery.type}</span>,
        <Answer delivery={delivery} />,
        delivery.tries,
        instant(delivery.at),
        delivery.next_at === null ? '' : instant(delivery.next_at),
        <ButtonForm
          action={`${webhookPath(webhook)}/replay`}
          look="quiet small"
          fields={{ delivery: delivery.id }}
          label={words.replayOf(delivery.type)}
        >
          {words.replay}
        </ButtonForm>,
      ])}
    />
  );
}

/** What the last try was answered with, and how long that took. */
function Answer({ delivery }: { readonly delivery: Delivery }): VNode | null {
  const words = en.admin.webhook;
  const { status, cause, took_ms, tries } = delivery;
  if (tries === 0 && cause === null) return null;
  const took = took_ms === null ? '' : ` · ${words.ms(took_ms)}`;
  return (
    <>
      {cause === null ? (
        (status ?? words.noAnswer)
      ) : (
        <span class="late">
          <Sayings all={[said(cause)]} />
        </span>
      )}
      <span class="muted">{took}</span>
    </>
  );
}

/** Forms that send again what was sent, or could not be. */
function Replays({ webhook, notice }: WebhookView): VNode {
  const reader = useReader();
  const messages = notice?.faults?.flatMap((fault) => fault.messages) ?? [];
  const words = en.admin.webhook;
  const action = `${webhookPath(webhook)}/replay`;
  const anHourAgo = clockIn(reader.timeZone, new Date(reader.now.getTime() - 3_600_000));
  return (
    <div class="replays spread">
      <Form action={action} class="form-line" data-turbo-action="replace" aria-label={words.replaySince}>
        <label>
          {words.replaySince}
          <input
            id="since"
            type="datetime-local"
            name="since"
            required
            value={anHourAgo}
            max="9999-12-31T00:00"
            {...(messages.length > 0 && { 'aria-invalid': true, 'aria-describedby': 'since-fault' })}
          />
        </label>
        <button type="submit">{words.replay}</button>
        <Faults id="since-fault" messages={messages} />
      </Form>
      <ButtonForm action={action} fields={{ state: 'failed' }}>
        {words.replayFailed}
      </ButtonForm>
    </div>
  );
}

function Settings({ webhook, isAsking }: WebhookView): VNode {
  const words = en.admin.webhook;
  const { events, workflows, fields, when, include, headers, managed_by } = webhook;
  const names = Object.keys(headers);
  const rows: FactRow[] = [
    [words.events, events.join(', ')],
    [words.workflows, workflows?.join(', ') ?? words.all],
    [words.fields, fields?.join(', ')],
    [words.when, when !== null && <code>{when}</code>],
    [words.include, words.includes[include] ?? include],
    [words.headers, names.length > 0 && names.join(', ')],
    [words.managed, managed_by === 'definition' ? words.byDefinition : words.byApi],
  ];
  return (
    <Section
      id="settings"
      title={words.settings}
      beside={
        managed_by === 'definition' ? (
          <span class="muted">{words.inDefinition}</span>
        ) : (
          <Changes webhook={webhook} isAsking={isAsking} />
        )
      }
    >
      <Facts rows={rows} />
    </Section>
  );
}

/** What may be done to it where it is not of the definition. */
function Changes({ webhook, isAsking }: Pick<WebhookView, 'webhook' | 'isAsking'>): VNode {
  const words = en.admin.webhook;
  const path = webhookPath(webhook);
  return (
    <span class="line">
      <a class="button small" href={`${path}/edit`}>
        {en.edit}
      </a>
      <a class="button danger small" href={`${path}?remove`} {...opens('remove-webhook')}>
        {en.remove}…
      </a>
      <Dialog
        id="remove-webhook"
        title={words.removeTitle(webhook.id)}
        isOpen={isAsking}
        back={path}
        answer={
          <ButtonForm action={`${path}/remove`} look="danger">
            {en.remove}
          </ButtonForm>
        }
      >
        <p>{words.removeMore}</p>
      </Dialog>
    </span>
  );
}

/** It is shown when it is made; who has lost it makes another. */
function Secret({ webhook, secret }: WebhookView): VNode | null {
  const words = en.admin.webhook;
  if (secret !== undefined) return null;
  return (
    <section class="invite" aria-labelledby="secret">
      <h2 id="secret">{words.secret}</h2>
      <p class="muted">{words.secretLead}</p>
      {/* Its answer is no page to go on to, and so none for Turbo. */}
      <Form action={`${webhookPath(webhook)}/rotate`} class="inline" data-turbo="false">
        <FormKey />
        <button type="submit">{words.rotate}</button>
      </Form>
      <p class="muted">{words.rotateMore}</p>
    </section>
  );
}
