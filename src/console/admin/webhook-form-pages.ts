import { Injectable } from '@nestjs/common';
import { Refusal } from '../../lib/errors.js';
import { type Reply } from '../../lib/reply.js';
import { WebhooksService } from '../../webhooks/webhooks.service.js';
import { seeOther } from '../page.js';
import { refusedForm } from './admin-form.js';
import { AdminLog } from './admin-log.js';
import { idIn } from './admin-pages.js';
import { formOf, payloadOf } from './webhook-form.js';
import { webhookFormReply } from './webhook-form-page.js';
import { type WebhookPlace, WebhookPages } from './webhook-pages.js';
import { webhookPath, WEBHOOKS_PATH } from './webhooks-page.js';

/** Adding, changing and removing webhooks, and their secrets, by the service of the API. */
@Injectable()
export class WebhookFormPages {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly pages: WebhookPages,
    private readonly log: AdminLog,
  ) {}

  /** Adds a webhook, and shows its secret this once. */
  async add(place: Omit<WebhookPlace, 'id'>, form: URLSearchParams): Promise<Reply> {
    const { to } = place;
    try {
      const { id } = await this.webhooks.add(to.workspace, payloadOf(form), idIn(form.get('once')));
      this.log.note(to, 'add-webhook', id);
      return await this.showSecret({ ...place, id }, to.words.admin.webhook.added);
    } catch (error) {
      return webhookFormReply(to, refusedForm(form, error));
    }
  }

  async edit({ to, id }: WebhookPlace): Promise<Reply> {
    const webhook = await this.webhooks.read(to.workspace, id);
    if (webhook.managed_by === 'definition')
      throw new Refusal('managed-by-definition', 'This webhook is of the definition, and is changed there.');
    return webhookFormReply(to, { values: formOf(webhook), faults: [] }, id);
  }

  async save({ to, id }: WebhookPlace, form: URLSearchParams): Promise<Reply> {
    try {
      await this.webhooks.replace(to.workspace, id, payloadOf(form));
      this.log.note(to, 'change-webhook', id);
      return seeOther(`${webhookPath({ id })}?saved`);
    } catch (error) {
      return webhookFormReply(to, refusedForm(form, error), id);
    }
  }

  async remove({ to, id }: WebhookPlace): Promise<Reply> {
    await this.webhooks.remove(to.workspace, id);
    this.log.note(to, 'remove-webhook', id);
    return seeOther(`${WEBHOOKS_PATH}?removed=${encodeURIComponent(id)}`);
  }

  /** Makes a new secret, and shows it this once. */
  async rotate(place: WebhookPlace): Promise<Reply> {
    const { to, id } = place;
    const asked = { workspace: to.workspace, webhookId: id, body: new Map(), key: undefined };
    const { secret } = await this.webhooks.rotate(asked);
    this.log.note(to, 'rotate-webhook-secret', id);
    return this.pages.show(place, { secret });
  }

  private async showSecret(place: WebhookPlace, done: string): Promise<Reply> {
    const { secret } = await this.webhooks.secret(place.to.workspace, place.id);
    return this.pages.show(place, { secret, notice: { tone: 'good', lines: [{ text: done }] } });
  }
}
