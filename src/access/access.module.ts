import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { ApiKeyGuard } from './api-key.guard.js';
import { KnownKeys } from './known-keys.js';
import { QueryGuard } from './query.guard.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { WorkflowGuard } from './workflow.guard.js';

/** The guards stand before every handler, in this order. */
@Module({
  providers: [
    {
      provide: KnownKeys,
      inject: [DataSource],
      useFactory: (dataSource: DataSource) => new KnownKeys(dataSource.manager),
    },
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: WorkflowGuard },
    { provide: APP_GUARD, useClass: QueryGuard },
  ],
  exports: [KnownKeys],
})
export class AccessModule {}
