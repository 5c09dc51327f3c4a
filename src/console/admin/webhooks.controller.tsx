import { en } from './words.js';
import { said } from '../parts/sayings.js';
import { hash } from 'node:crypto';
import { Get, Post } from '@nestjs/common';
import { deliveryStates } from '../../database/column-values.js';
import { nowhere, readStretch } from '../../http/paged-list.js';
import { type Json, type JsonObject } from '../../../packages/exact-json/json.js';
import { faultsOf, InvalidFields } from '../../lib/field-errors.js';
import { type Reply } from '../../lib/reply.js';
import { type Delivery, type ReplayedAnswer } from '../../webhooks/webhook.dto.js';
import { type AskedOfWebhook, WebhooksService } from '../../webhooks/webhooks.service.js';
import { LiveChanges } from '../../notifications/live-changes.js';
import { changedReply } from '../live/live.controller.js';
import { FormBody } from '../form-body.js';
import { keyOfForm } from '../form-fields.js';
import { pageReply, seeOther } from '../page.js';
import { adminListReply } from './admin-list.js';
import { type AdminFormView, answerForm, type Filled, formReply } from './admin-form.js';
import { Refusal } from '../../lib/errors.js';
import { instantAt } from '../zone.js';
import { formNotice, goodNotice, type Notice } from '../parts/notices.js';
import {
  type Administrator,
  type AdminRequest,
  Asked,
  idIn,
  pageOf,
  WorkspaceAdminPages,
  AdminLog,
  originOf,
} from './admin-pages.js';
import { type Deliveries, WebhookPage } from './webhook-page.js';
import { blankForm, formOf, payloadOf, webhookForm } from './webhook-form.js';
import { webhookPath, webhookRow, WEBHOOKS_PATH } from './webhooks-page.js';

/** What the page of a webhook shows besides. */
interface ShownWebhook {
  readonly notice?: Notice;
  /** One that was just made. */
  readonly secret?: string;
}

/** Who is told of events, and whether it gets through; its forms do by the service of the API. */
@WorkspaceAdminPages('admin/webhooks')
export class AdminWebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly changes: LiveChanges,
    private readonly log: AdminLog,
  ) {}

  /** `removed` names one that there was a moment ago; `new`, which may be the id of one, asks for the form, and `live` whether the list is another by now. */
  @Get()
  async list(@Asked() { reader, request, query }: AdminRequest): Promise<Reply> {
    if (query.has('new')) return formReply(webhookForm(reader, { values: blankForm(), faults: [] }));
    const seen = query.get('live');
    const read = async (): Promise<string> => tagOf(await this.webhooks.list(reader.workspace));
    if (seen !== null)
      return changedReply(request, (signal) => this.changes.waitUntilNot(reader, seen, read, signal));
    const webhooks = await this.webhooks.list(reader.workspace);
    const live = `${WEBHOOKS_PATH}?${new URLSearchParams({ live: tagOf(webhooks) }).toString()}`;
    const named = idIn(query.get('removed'));
    const removed = webhooks.some(({ id }) => id === named) ? undefined : named;
    const { webhooks: title, webhook: words } = en.admin;
    return adminListReply({
      title,
      live,
      notice: removed === undefined ? undefined : goodNotice(words.removed(removed)),
      count: webhooks.length,
      button: { href: `${WEBHOOKS_PATH}?new`, name: words.add },
      things: webhooks,
      row: (webhook) => webhookRow(webhook),
      empty: ['link', words.nothing, words.nothingMore],
    });
  }

  @Get(':webhook')
  async show(@Asked() place: AdminRequest): Promise<Reply> {
    return this.page(place);
  }

  private async page(place: AdminRequest, shown: ShownWebhook = {}): Promise<Reply> {
    const { reader, request, query, id } = place;
    const webhook = await this.webhooks.read(reader.workspace, id);
    const deliveries = await this.deliveries(place);
    const notice = shown.notice ?? doneOf(reader, query);
    const { secret } = shown;
    // A secret is shown once, and a form is answered once: such a page stays as it is.
    const isAgain = request.method === 'GET' && secret === undefined;
    const live = isAgain
      ? `${webhookPath(place)}/live?${seenIn(query, tagOf(webhook, deliveries.rows))}`
      : undefined;
    const view = { reader, webhook, deliveries, notice, secret, isAsking: query.has('remove'), live };
    return pageReply(<WebhookPage {...view} />, { status: shown.notice?.tone === 'bad' ? 422 : 200 });
  }

  /** Whether the page shows something else than it did; answers as soon as it does. */
  @Get(':webhook/live')
  wait(@Asked() place: AdminRequest): Reply {
    const { reader, request, query, id } = place;
    const read = async (): Promise<string> =>
      tagOf(await this.webhooks.read(reader.workspace, id), (await this.deliveries(place)).rows);
    return changedReply(request, (signal) =>
      this.changes.waitUntilNot(reader, query.get('tag') ?? '', read, signal),
    );
  }

  @Post(':webhook/pause')
  async pause(@Asked() place: AdminRequest): Promise<Reply> {
    return this.does(place, 'pause-webhook', () => this.webhooks.pause(asked(place)));
  }

  @Post(':webhook/enable')
  async enable(@Asked() place: AdminRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const body = { from: form.get('from') ?? '' };
    return this.does(place, 'enable-webhook', () => this.webhooks.enable(asked(place, body)));
  }

  @Post(':webhook/test')
  async test(@Asked() place: AdminRequest): Promise<Reply> {
    return this.does(place, 'test-webhook', () => this.webhooks.test(asked(place)), '?tested');
  }

  /** Sends again one delivery, what happened since a time, or all that failed. */
  @Post(':webhook/replay')
  async replay(@Asked() place: AdminRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const body = wantedBy(form, place.reader);
    const done = ({ replayed }: ReplayedAnswer): string => `?replayed=${replayed}`;
    return this.does(place, 'replay-webhook', () => this.webhooks.replay(asked(place, body)), done);
  }

  /** Adds a webhook, and shows its secret this once. */
  @Post()
  async add(@Asked() place: AdminRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { reader } = place;
    const view = (filled: Filled): AdminFormView => webhookForm(reader, filled);
    return answerForm(view, form, async () => {
      const by = { key: idIn(form.get('once')), origin: originOf(reader) };
      const { id } = await this.webhooks.add(reader.workspace, payloadOf(form), by);
      this.log.note(reader, 'add-webhook', id);
      const { secret } = await this.webhooks.secret(reader.workspace, id);
      return this.page({ ...place, id }, { secret, notice: goodNotice(en.admin.webhook.added) });
    });
  }

  @Get(':webhook/edit')
  async edit(@Asked() { reader, id }: AdminRequest): Promise<Reply> {
    const webhook = await this.webhooks.read(reader.workspace, id);
    if (webhook.managed_by === 'definition')
      throw new Refusal('managed-by-definition', 'This webhook comes from the definition: change it there.');
    return formReply(webhookForm(reader, { values: formOf(webhook), faults: [] }, id));
  }

  @Post(':webhook/edit')
  async save(@Asked() { reader, id }: AdminRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const view = (filled: Filled): AdminFormView => webhookForm(reader, filled, id);
    return answerForm(view, form, async () => {
      await this.webhooks.replace(reader.workspace, id, payloadOf(form), originOf(reader));
      this.log.note(reader, 'change-webhook', id);
      return seeOther(`${webhookPath({ id })}?saved`);
    });
  }

  @Post(':webhook/remove')
  async remove(@Asked() { reader, id }: AdminRequest): Promise<Reply> {
    await this.webhooks.remove(reader.workspace, id, originOf(reader));
    this.log.note(reader, 'remove-webhook', id);
    return seeOther(`${WEBHOOKS_PATH}?removed=${encodeURIComponent(id)}`);
  }

  /** Makes a new secret, and shows it this once. */
  @Post(':webhook/rotate')
  async rotate(@Asked() place: AdminRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { reader, id } = place;
    const { secret } = await this.webhooks.rotate({ ...asked(place), key: keyOfForm(form) });
    this.log.note(reader, 'rotate-webhook-secret', id);
    return this.page(place, { secret });
  }

  /** Does what a form asks for, leads back to the page, and notes in the log who has asked. */
  private async does<Done>(
    place: AdminRequest,
    act: string,
    work: () => Promise<Done>,
    query: string | ((done: Done) => string) = '',
  ): Promise<Reply> {
    try {
      const done = await work();
      this.log.note(place.reader, act, place.id);
      return seeOther(webhookPath(place) + (typeof query === 'string' ? query : query(done)));
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error;
      const {} = place.reader;
      const messages = error.fields.flatMap(([name, texts]) => (name === 'from' ? texts : []));
      // Of a time that is none the API also says that its end is alone.
      const others = messages.length > 0 ? [] : faultsOf(error).map(said);
      const since = { id: 'since', label: en.admin.webhook.replaySince, messages };
      return this.page(place, { notice: formNotice([{ text: en.faulty }, ...others], [since]) });
    }
  }

  private async deliveries({ reader, query, id }: AdminRequest): Promise<Deliveries> {
    const state = deliveryStates.find((one) => one === query.get('state'));
    const after = query.get('after') ?? undefined;
    const holder = { keyId: reader.user.id };
    const page = pageOf(state, after);
    const list = await this.webhooks.deliveries(reader.workspace, holder, id, page, nowhere);
    const { shown: rows, next } = await readStretch<Delivery>(list);
    return { state, isFirst: after === undefined, rows, next };
  }
}

/** What tells a page that shows this from any other. */
function tagOf(...shown: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(shown)).slice(0, 32);
}

/** What of the address the page depends on, and what it shows. */
function seenIn(query: URLSearchParams, tag: string): string {
  const kept = [...query].filter(([name]) => name === 'state' || name === 'after');
  return new URLSearchParams([...kept, ['tag', tag]]).toString();
}

function asked({ reader, id }: AdminRequest, body: Readonly<Record<string, Json>> = {}): AskedOfWebhook {
  const payload: JsonObject = new Map(Object.entries(body));
  return {
    workspace: reader.workspace,
    webhookId: id,
    body: payload,
    key: undefined,
    origin: originOf(reader),
  };
}

/** What is to be sent again, as a payload of the API says it. */
function wantedBy(
  form: URLSearchParams,
  { timeZone, now }: Pick<Administrator, 'timeZone' | 'now'>,
): Readonly<Record<string, Json>> {
  const delivery = form.get('delivery');
  if (delivery !== null) return { deliveries: [delivery] };
  if (form.get('state') === 'failed') return { state: 'failed' };
  // What happens in this very moment counts, too.
  const to = new Date(now.getTime() + 60_000).toISOString();
  return { from: instantAt(timeZone, form.get('since') ?? ''), to };
}

/** What was just done, as the address tells. */
function doneOf({}: Administrator, query: URLSearchParams): Notice | undefined {
  const { tested, replayed, saved } = en.admin.webhook;
  const count = query.get('replayed');
  if (count !== null && /^\d{1,9}$/.test(count)) return goodNotice(replayed(Number(count)));
  const done = query.has('tested') ? tested : query.has('saved') ? saved : undefined;
  return done === undefined ? undefined : goodNotice(done);
}
