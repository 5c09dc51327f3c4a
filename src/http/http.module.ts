import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CONFIG, type Config } from '../config.js';
import { IdempotencyKeyEntity } from '../entities/idempotency-key.entity.js';
import { BODIES, BodyRoom } from './body-room.js';
import { JsonPayloadPipe, SmallJsonPayloadPipe } from './read-body.js';

@Global()
@Module({
  imports: [TypeOrmModule.forFeature([IdempotencyKeyEntity])],
  providers: [
    JsonPayloadPipe,
    SmallJsonPayloadPipe,
    {
      provide: BODIES,
      inject: [CONFIG],
      useFactory: ({ maxBodiesBytes }: Config) => new BodyRoom(maxBodiesBytes),
    },
  ],
  exports: [JsonPayloadPipe, SmallJsonPayloadPipe, BODIES],
})
export class HttpModule {}
