import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdempotencyKeyEntity } from '../entities/idempotency-key.entity.js';
import { Bodies } from './bodies.js';
import { ShareGuard } from './share.guard.js';
import { UnreadGuard } from './unread.guard.js';

@Global()
@Module({
  imports: [TypeOrmModule.forFeature([IdempotencyKeyEntity])],
  providers: [
    Bodies,
    { provide: APP_GUARD, useClass: ShareGuard },
    { provide: APP_GUARD, useClass: UnreadGuard },
  ],
  exports: [Bodies],
})
export class HttpModule {}
