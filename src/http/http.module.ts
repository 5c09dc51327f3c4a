import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CONFIG, type Config } from '../config.js';
import { IdempotencyKeyEntity } from '../entities/idempotency-key.entity.js';
import { BODIES, BodyRoom } from './body-room.js';
import { JsonPayloadPipe, SmallJsonPayloadPipe } from './read-body.js';
import { UnreadGuard } from './unread.guard.js';

@Global()
@Module({
  imports: [TypeOrmModule.forFeature([IdempotencyKeyEntity])],
  providers: [
    JsonPayloadPipe,
    SmallJsonPayloadPipe,
    { provide: APP_GUARD, useClass: UnreadGuard },
    {
      provide: BODIES,
      inject: [CONFIG],
      useFactory: ({ maxBodiesBytes }: Config) => new BodyRoom(maxBodiesBytes),
    },
  ],
  exports: [JsonPayloadPipe, SmallJsonPayloadPipe, BODIES],
})
export class HttpModule {}
