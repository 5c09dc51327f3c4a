import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Bodies } from './bodies.js';
import { ShareGuard } from './share.guard.js';
import { UnreadGuard } from './unread.guard.js';
import { IdempotencyKeyEntity } from './idempotency-key.entity.js';

@Global()
@Module({
  providers: [
    Bodies,
    { provide: APP_GUARD, useClass: ShareGuard },
    { provide: APP_GUARD, useClass: UnreadGuard },
  ],
  exports: [Bodies],
})
class HttpModule {}

export const httpFeature = { entities: [IdempotencyKeyEntity], modules: [HttpModule] };
