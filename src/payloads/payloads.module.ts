import { Global, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config.js';
import { BodyRoom } from './body-room.js';
import { BODIES, JsonPayloadPipe, SmallJsonPayloadPipe } from './json-payload.pipe.js';

@Global()
@Module({
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
export class PayloadsModule {}
