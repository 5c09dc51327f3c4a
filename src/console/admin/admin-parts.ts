import { type Type } from '@nestjs/common';
import { AdminLog } from './admin-log.js';
import { AdminDefinitionController } from './definition.controller.js';
import { DefinitionPages } from './definition-pages.js';
import { ExecutionPages } from './execution-pages.js';
import { AdminExecutionsController } from './executions.controller.js';
import { KeyPages } from './key-pages.js';
import { AdminKeysController } from './keys.controller.js';
import { AdminOverviewController } from './overview.controller.js';
import { UserPages } from './user-pages.js';
import { AdminUsersController } from './users.controller.js';
import { WebhookFormPages } from './webhook-form-pages.js';
import { WebhookPages } from './webhook-pages.js';
import { AdminWebhooksController } from './webhooks.controller.js';

/** The pages of `/admin`. */
export const adminControllers: Type[] = [
  AdminOverviewController,
  AdminExecutionsController,
  AdminWebhooksController,
  AdminKeysController,
  AdminDefinitionController,
  AdminUsersController,
];

export const adminProviders: Type[] = [
  AdminLog,
  DefinitionPages,
  ExecutionPages,
  KeyPages,
  UserPages,
  WebhookFormPages,
  WebhookPages,
];
