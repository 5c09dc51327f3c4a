import { type Principal } from '../common/request.js';
import { beginWebhooks, findWebhooks, resumeWebhook, rotateSecret } from './webhooks.repository.js';
import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, type FindOptionsSelect, Repository } from 'typeorm';
import { type Origin } from '../common/origin.js';
import { boundTo } from '../common/database/sql.js';
import { CONFIG, type Config } from '../config.js';
import { Doorbell } from '../common/ops/doorbell.js';
import { deliveryJob, type WebhookKey } from './due-webhooks.js';
import { WebhookEntity } from './webhook.entity.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import { lockWorkspace } from '../workflows/model/workspace.repository.js';
import { type RepeatableRequest, idempotentRequest, once } from '../common/http/idempotency.js';
import { pagedList, type RequestAddress } from '../common/http/paged-list.js';
import { type TaskList } from '../common/http/replies.js';
import { notFound, Refusal } from '../common/errors.js';
import { say } from '../common/message.js';
import { invalidField } from '../common/field-errors.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { webhookColumns } from './webhooks.kind.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { type ListedDelivery, listDeliveries, replayDeliveries } from './deliveries.repository.js';
import { parseReplay, parseWebhook } from './parse-webhook.js';
import { shownSecret } from '../common/webhook-signature.js';
import { type DeliveriesQuery, serializeDelivery, serializeWebhook, type Webhook } from './webhook.dto.js';
import { type ReadPage } from '../common/id-page.js';

export interface AskedOfWebhook {
  readonly workspace: Workspace;
  readonly webhookId: string;
  readonly body: JsonObject;
  readonly key: string | undefined;
  readonly origin?: Origin;
}

@Injectable()
export class WebhooksService {
  constructor(
    @InjectRepository(WebhookEntity) private readonly webhooks: Repository<WebhookEntity>,
    private readonly doorbell: Doorbell,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async list({ id }: Workspace): Promise<Webhook[]> {
    return (await findWebhooks(this.webhooks.manager, id)).map(serializeWebhook);
  }

  async read({ id }: Workspace, webhookId: string): Promise<Webhook> {
    return serializeWebhook(await this.find(this.webhooks.manager, id, webhookId));
  }

  /** Adds a webhook, which receives events from now on. */
  async add(
    workspace: Workspace,
    payload: JsonObject,
    asked: Pick<AskedOfWebhook, 'key' | 'origin'>,
  ): Promise<Webhook> {
    return this.once(workspace, { route: 'webhooks', body: payload, ...asked }, async (tx) => {
      const columns = webhookColumns(parseWebhook(workspace, payload));
      const workspaceId = workspace.id;
      // Locks the workspace, because a simultaneous `apply` may add a webhook with the same id.
      await lockWorkspace(tx, { id: workspaceId });
      if (await tx.existsBy(WebhookEntity, { workspaceId, id: columns.id }))
        throw new Refusal('conflict', 'There is a webhook with this id already.');
      if ((await tx.countBy(WebhookEntity, { workspaceId })) >= MAX_WEBHOOKS)
        throw invalidField('base', say`A workspace can have at most ${MAX_WEBHOOKS} webhooks`);
      await tx.insert(WebhookEntity, { workspaceId, managedBy: 'api', position: 0, ...columns });
      await beginWebhooks(tx, workspaceId, [columns.id]);
      return serializeWebhook(await this.find(tx, workspaceId, columns.id));
    });
  }

  /** Replaces all settings of a webhook. The webhook keeps its position in the feed. */
  async replace(
    workspace: Workspace,
    webhookId: string,
    payload: JsonObject,
    origin: Origin,
  ): Promise<Webhook> {
    const key = await this.ownOf(workspace, webhookId);
    const columns = webhookColumns(parseWebhook(workspace, payload, webhookId));
    await this.recorded(workspace, origin).transaction((tx) => tx.update(WebhookEntity, key, columns));
    return this.read(workspace, webhookId);
  }

  async remove(workspace: Workspace, webhookId: string, origin: Origin): Promise<void> {
    const key = await this.ownOf(workspace, webhookId);
    await this.recorded(workspace, origin).transaction((tx) => tx.delete(WebhookEntity, key));
  }

  async secret({ id: workspaceId }: Workspace, id: string): Promise<{ readonly secret: string }> {
    const select = { id: true, secret: true } as const;
    return { secret: shownSecret((await this.find(this.webhooks.manager, workspaceId, id, select)).secret) };
  }

  /**
   * Creates a secret, and then reads it from the table: the answer that is stored for an Idempotency-Key must
   * not contain the secret.
   */
  async rotate(asked: AskedOfWebhook): Promise<{ readonly secret: string }> {
    await this.ask(asked, 'rotate', rotateSecret);
    return this.secret(asked.workspace, asked.webhookId);
  }

  async deliveries(
    workspace: Workspace,
    { keyId }: Pick<Principal, 'keyId'>,
    webhookId: string,
    query: DeliveriesQuery,
    address: RequestAddress,
  ): Promise<TaskList> {
    await this.find(this.webhooks.manager, workspace.id, webhookId);
    const { state } = query;
    const read: ReadPage<ListedDelivery> = (after, limit) =>
      listDeliveries(this.webhooks.manager, workspace.id, { webhookId, state }, after, limit);
    const write = (row: ListedDelivery): string => JSON.stringify(serializeDelivery(row));
    const { cursorKey } = workspace.rows.workspace;
    const scope = { workspaceId: workspace.id, keyId, workflow: { id: 0, cursorKey } };
    return pagedList({ scope, name: ['deliveries', webhookId, state], read, write }, query, address, this.config); // prettier-ignore
  }

  async test(asked: AskedOfWebhook): Promise<void> {
    await this.ask(asked, 'test', (tx, { workspaceId, id }) =>
      tx.insert(WebhookDeliveryEntity, {
        workspaceId,
        webhookId: id,
        eventId: randomUUID(),
        type: 'webhook.test',
        isSingle: true,
      }),
    );
  }

  /** Sends the requested deliveries again, or all failed deliveries if the request has no list. */
  async replay(asked: AskedOfWebhook): Promise<{ readonly replayed: number }> {
    return this.ask(asked, 'replay', async (tx, { workspaceId, id }) => ({
      replayed: await replayDeliveries(tx, workspaceId, id, parseReplay(asked.body)),
    }));
  }

  /** Makes a webhook active. The webhook continues at its position in the feed. */
  async enable(asked: AskedOfWebhook): Promise<Webhook> {
    return this.ask(asked, 'enable', async (tx, key) => {
      await resumeWebhook(tx, key);
      return serializeWebhook(await this.find(tx, key.workspaceId, key.id));
    });
  }

  /** Pauses a webhook until it is enabled. The webhook then receives the events that happened meanwhile. */
  async pause(asked: AskedOfWebhook): Promise<Webhook> {
    return this.ask(asked, 'pause', async (tx, key) => {
      await tx.update(WebhookEntity, key, { state: 'paused' });
      return serializeWebhook(await this.find(tx, key.workspaceId, key.id));
    });
  }

  private async ask<T>(
    { workspace, webhookId: id, body, key, origin }: AskedOfWebhook,
    route: string,
    work: (tx: EntityManager, key: WebhookKey) => Promise<T>,
  ): Promise<T> {
    const workspaceId = workspace.id;
    await this.find(this.webhooks.manager, workspaceId, id);
    const asked = { route: `webhooks/${route}`, path: [id], body, key, ...(origin && { origin }) };
    const { answer } = await this.once(workspace, asked, async (tx) => ({
      answer: await work(tx, { workspaceId, id }),
    }));
    this.doorbell.ring(deliveryJob, { workspaceId, id });
    return answer;
  }

  private async once<T>(
    workspace: Workspace,
    { key, origin, ...asked }: RepeatableRequest & Pick<AskedOfWebhook, 'key' | 'origin'>,
    work: (tx: EntityManager) => Promise<T>,
  ): Promise<T> {
    const scope = { workspaceId: workspace.id, workflow: { slug: '' }, ...(origin && { origin }) };
    const request = idempotentRequest(scope, key, asked);
    return this.recorded(workspace, origin).transaction((tx) => once(tx, request, () => work(tx)));
  }

  private recorded({ id: workspaceId }: Workspace, origin: Origin | undefined): EntityManager {
    return boundTo(this.webhooks.manager, { workspaceId, keyId: undefined, ...(origin && { origin }) });
  }

  /** Returns the key of a webhook that the API manages; throws if the definition manages it. */
  private async ownOf({ id: workspaceId }: Workspace, id: string) {
    const { managedBy } = await this.find(this.webhooks.manager, workspaceId, id);
    if (managedBy === 'definition')
      throw new Refusal('managed-by-definition', 'This webhook comes from the definition: change it there.');
    return { workspaceId, id, managedBy };
  }

  private async find(
    db: EntityManager,
    workspaceId: number,
    id: string,
    select?: FindOptionsSelect<WebhookEntity>,
  ): Promise<WebhookEntity> {
    const asked = { where: { workspaceId, id }, ...(select && { select }) };
    const webhook = isId(id) ? await db.findOne(WebhookEntity, asked) : null;
    if (!webhook) throw notFound('There is no webhook with this id.');
    return webhook;
  }
}

const isId = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text);

/** The API adds no webhook to a workspace that has this many, because each webhook reads every event. */
const MAX_WEBHOOKS = 200;
