import { Module } from '@nestjs/common';
import { SecretsModule } from '../../../executions/secrets.module.js';
import { HooksController, ReceivedHooksController } from './hooks.controller.js';
import { HooksService } from './hooks.service.js';

/** Hooks, by which other systems trigger rules. */
@Module({
  imports: [SecretsModule],
  controllers: [HooksController, ReceivedHooksController],
  providers: [HooksService],
  exports: [HooksService],
})
export class HooksModule {}
