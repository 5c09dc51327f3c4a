import { CurrentWorkspace } from '../workflows/model/current.decorators.js';
import { type Principal, AdminGuard, CurrentOrigin, CurrentPrincipal } from '../common/request.js';
import { Controller, Delete, Get, HttpCode, Param, Post, Put, UseGuards } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { ApiRefusals } from '../common/openapi/answers.js';
import { IdempotencyKey } from '../common/http/idempotency.js';
import { SmallJsonPayload } from '../common/http/read-body.js';
import { Address, type RequestAddress } from '../common/http/paged-list.js';
import { Parameters } from '../common/http/query.decorator.js';
import { createdReply, jsonReply, listReply } from '../common/http/replies.js';
import { type Origin } from '../common/origin.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { type Reply } from '../common/reply.js';
import { type Workspace } from '../workflows/model/workspace.js';
import {
  DeliveriesQuery,
  Webhook,
  WebhookSecret,
  WebhookPayload,
  Delivery,
  ReplayPayload,
  ReplayedAnswer,
} from './webhook.dto.js';
import { WebhooksService } from './webhooks.service.js';

const at = 'webhook_id';
const nothing: JsonObject = new Map();

@Controller('api/v1/webhooks')
@UseGuards(AdminGuard)
@ApiTags('Webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @ApiOperation({ summary: 'List the webhooks' })
  @ApiOkResponse({ type: [Webhook] })
  async listWebhooks(@CurrentWorkspace() workspace: Workspace): Promise<Webhook[]> {
    return this.webhooks.list(workspace);
  }

  @Post()
  @ApiOperation({ summary: 'Add a webhook' })
  @ApiBody({ type: WebhookPayload })
  @ApiCreatedResponse({ type: Webhook })
  async addWebhook(
    @CurrentWorkspace() workspace: Workspace,
    @SmallJsonPayload() payload: JsonObject,
    @IdempotencyKey() key: string | undefined,
    @CurrentOrigin() origin: Origin,
  ): Promise<Reply> {
    const webhook = await this.webhooks.add(workspace, payload, { key, origin });
    return createdReply(webhook, webhook.id);
  }

  @Get(':webhook_id')
  @ApiOperation({ summary: 'Read a webhook' })
  @ApiOkResponse({ type: Webhook })
  async readWebhook(@CurrentWorkspace() workspace: Workspace, @Param(at) id: string): Promise<Webhook> {
    return this.webhooks.read(workspace, id);
  }

  @Put(':webhook_id')
  @ApiOperation({ summary: 'Replace a webhook; 409 if the definition has it' })
  @ApiBody({ type: WebhookPayload })
  @ApiOkResponse({ type: Webhook })
  @ApiRefusals(409)
  async replaceWebhook(
    @CurrentWorkspace() workspace: Workspace,
    @Param(at) id: string,
    @SmallJsonPayload() payload: JsonObject,
    @CurrentOrigin() origin: Origin,
  ): Promise<Webhook> {
    return this.webhooks.replace(workspace, id, payload, origin);
  }

  @Delete(':webhook_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Remove a webhook with its deliveries; 409 if the definition has it' })
  @ApiNoContentResponse()
  @ApiRefusals(409)
  async removeWebhook(
    @CurrentWorkspace() workspace: Workspace,
    @Param(at) id: string,
    @CurrentOrigin() origin: Origin,
  ): Promise<void> {
    await this.webhooks.remove(workspace, id, origin);
  }

  @Get(':webhook_id/secret')
  @ApiOperation({ summary: 'Read the secret' })
  @ApiOkResponse({ type: WebhookSecret })
  async readWebhookSecret(@CurrentWorkspace() workspace: Workspace, @Param(at) id: string): Promise<Reply> {
    return secretReply(await this.webhooks.secret(workspace, id));
  }

  @Post(':webhook_id/secret/rotate')
  @HttpCode(200)
  @ApiOperation({ summary: 'Make a new secret; the old secret also signs for 24 hours' })
  @ApiOkResponse({ type: WebhookSecret })
  async rotateWebhookSecret(
    @CurrentWorkspace() workspace: Workspace,
    @Param(at) webhookId: string,
    @IdempotencyKey() key: string | undefined,
    @CurrentOrigin() origin: Origin,
  ): Promise<Reply> {
    return secretReply(await this.webhooks.rotate({ workspace, webhookId, body: nothing, key, origin }));
  }

  @Get(':webhook_id/deliveries')
  @ApiOperation({ summary: 'List deliveries, newest first' })
  @ApiOkResponse({ type: [Delivery] })
  async listDeliveries(
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
  @ApiOperation({ summary: 'Send an event `webhook.test`, to this webhook only' })
  async testWebhook(
    @CurrentWorkspace() workspace: Workspace,
    @Param(at) webhookId: string,
    @IdempotencyKey() key: string | undefined,
  ): Promise<void> {
    await this.webhooks.test({ workspace, webhookId, body: nothing, key });
  }

  @Post(':webhook_id/replay')
  @HttpCode(202)
  @ApiOperation({ summary: 'Send deliveries again' })
  @ApiBody({ type: ReplayPayload })
  @ApiAcceptedResponse({ type: ReplayedAnswer })
  async replayDeliveries(
    @CurrentWorkspace() workspace: Workspace,
    @Param(at) webhookId: string,
    @SmallJsonPayload() body: JsonObject,
    @IdempotencyKey() key: string | undefined,
  ): Promise<{ readonly replayed: number }> {
    return this.webhooks.replay({ workspace, webhookId, body, key });
  }

  @Post(':webhook_id/enable')
  @HttpCode(200)
  @ApiOperation({ summary: 'Make a webhook active; it continues where it stopped' })
  @ApiOkResponse({ type: Webhook })
  async enableWebhook(
    @CurrentWorkspace() workspace: Workspace,
    @Param(at) webhookId: string,
    @IdempotencyKey() key: string | undefined,
    @CurrentOrigin() origin: Origin,
  ): Promise<Webhook> {
    return this.webhooks.enable({ workspace, webhookId, body: nothing, key, origin });
  }

  @Post(':webhook_id/pause')
  @HttpCode(200)
  @ApiOperation({ summary: 'Pause a webhook' })
  @ApiOkResponse({ type: Webhook })
  async pauseWebhook(
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
