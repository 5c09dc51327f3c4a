import { Controller, Delete, Get, HttpCode, Param, Post, Put, UseGuards } from '@nestjs/common';
import { type Principal } from '../auth/api-keys.js';
import { AdminGuard } from '../auth/guards.js';
import { CurrentOrigin, CurrentPrincipal, CurrentWorkspace } from '../auth/current.decorators.js';
import { IdempotencyKey } from '../http/idempotency.js';
import { SmallJsonPayload } from '../http/read-body.js';
import { Address, type RequestAddress } from '../http/paged-list.js';
import { Parameters } from '../http/query.decorator.js';
import { createdReply, jsonReply, listReply } from '../http/replies.js';
import { type Origin } from '../database/origin.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { type Reply } from '../lib/reply.js';
import { type Workspace } from '../workspace/workspace.js';
import { DeliveriesQuery, type Webhook, type WebhookSecret } from './webhook.dto.js';
import { WebhooksService } from './webhooks.service.js';

const at = 'webhook_id';
const nothing: JsonObject = new Map();

/** The webhooks of a workspace. */
@Controller('api/v1/webhooks')
@UseGuards(AdminGuard)
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  async list(@CurrentWorkspace() workspace: Workspace): Promise<Webhook[]> {
    return this.webhooks.list(workspace);
  }

  @Post()
  async add(
    @CurrentWorkspace() workspace: Workspace,
    @SmallJsonPayload() payload: JsonObject,
    @IdempotencyKey() key: string | undefined,
    @CurrentOrigin() origin: Origin,
  ): Promise<Reply> {
    const webhook = await this.webhooks.add(workspace, payload, { key, origin });
    return createdReply(webhook, webhook.id);
  }

  @Get(':webhook_id')
  async read(@CurrentWorkspace() workspace: Workspace, @Param(at) id: string): Promise<Webhook> {
    return this.webhooks.read(workspace, id);
  }

  @Put(':webhook_id')
  async replace(
    @CurrentWorkspace() workspace: Workspace,
    @Param(at) id: string,
    @SmallJsonPayload() payload: JsonObject,
    @CurrentOrigin() origin: Origin,
  ): Promise<Webhook> {
    return this.webhooks.replace(workspace, id, payload, origin);
  }

  @Delete(':webhook_id')
  @HttpCode(204)
  async remove(
    @CurrentWorkspace() workspace: Workspace,
    @Param(at) id: string,
    @CurrentOrigin() origin: Origin,
  ): Promise<void> {
    await this.webhooks.remove(workspace, id, origin);
  }

  @Get(':webhook_id/secret')
  async secret(@CurrentWorkspace() workspace: Workspace, @Param(at) id: string): Promise<Reply> {
    return secretReply(await this.webhooks.secret(workspace, id));
  }

  @Post(':webhook_id/secret/rotate')
  @HttpCode(200)
  async rotate(
    @CurrentWorkspace() workspace: Workspace,
    @Param(at) webhookId: string,
    @IdempotencyKey() key: string | undefined,
    @CurrentOrigin() origin: Origin,
  ): Promise<Reply> {
    return secretReply(await this.webhooks.rotate({ workspace, webhookId, body: nothing, key, origin }));
  }

  @Get(':webhook_id/deliveries')
  async deliveries(
    @CurrentWorkspace() workspace: Workspace,
    @CurrentPrincipal() principal: Principal,
    @Param(at) id: string,
    @Parameters(DeliveriesQuery) query: DeliveriesQuery,
    @Address() address: RequestAddress,
  ): Promise<Reply> {
    return listReply(await this.webhooks.deliveries(workspace, principal, id, query, address));
  }

  @Post(':webhook_id/test')
  @HttpCode(202)
  async test(
    @CurrentWorkspace() workspace: Workspace,
    @Param(at) webhookId: string,
    @IdempotencyKey() key: string | undefined,
  ): Promise<void> {
    await this.webhooks.test({ workspace, webhookId, body: nothing, key });
  }

  @Post(':webhook_id/replay')
  @HttpCode(202)
  async replay(
    @CurrentWorkspace() workspace: Workspace,
    @Param(at) webhookId: string,
    @SmallJsonPayload() body: JsonObject,
    @IdempotencyKey() key: string | undefined,
  ): Promise<{ readonly replayed: number }> {
    return this.webhooks.replay({ workspace, webhookId, body, key });
  }

  @Post(':webhook_id/enable')
  @HttpCode(200)
  async enable(
    @CurrentWorkspace() workspace: Workspace,
    @Param(at) webhookId: string,
    @SmallJsonPayload() body: JsonObject,
    @IdempotencyKey() key: string | undefined,
    @CurrentOrigin() origin: Origin,
  ): Promise<Webhook> {
    return this.webhooks.enable({ workspace, webhookId, body, key, origin });
  }

  @Post(':webhook_id/pause')
  @HttpCode(200)
  async pause(
    @CurrentWorkspace() workspace: Workspace,
    @Param(at) webhookId: string,
    @IdempotencyKey() key: string | undefined,
    @CurrentOrigin() origin: Origin,
  ): Promise<Webhook> {
    return this.webhooks.pause({ workspace, webhookId, body: nothing, key, origin });
  }
}

function secretReply(secret: WebhookSecret): Reply {
  return jsonReply(JSON.stringify(secret), { headers: { 'Cache-Control': 'no-store' } });
}
