import { Global, Module } from '@nestjs/common';
import { Budget } from '../budget.js';
import { CONFIG, type Config } from '../config.js';
import { BODIES, JsonPayloadPipe, SmallJsonPayloadPipe } from './json-payload.pipe.js';

@Global()
@Module({
  providers: [
    JsonPayloadPipe,
    SmallJsonPayloadPipe,
    {
      provide: BODIES,
      inject: [CONFIG],
      useFactory: ({ maxBodiesBytes }: Config) =>
        new Budget(maxBodiesBytes, 'Too many request bodies are in memory at once.'),
    },
  ],
  exports: [JsonPayloadPipe, SmallJsonPayloadPipe, BODIES],
})
export class PayloadsModule {}
