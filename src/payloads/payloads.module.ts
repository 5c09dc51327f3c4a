import { Global, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config.js';
import { BodyBudget } from './body-budget.js';
import { JsonPayloadPipe } from './json-payload.pipe.js';

@Global()
@Module({
  providers: [
    JsonPayloadPipe,
    {
      provide: BodyBudget,
      inject: [CONFIG],
      useFactory: ({ maxBodiesBytes }: Config) => new BodyBudget(maxBodiesBytes),
    },
  ],
  exports: [JsonPayloadPipe, BodyBudget],
})
export class PayloadsModule {}
