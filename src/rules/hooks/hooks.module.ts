import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ReceivedHookEntity } from '../../entities/received-hook.entity.js';
import { RuleStateEntity } from '../../entities/rule-state.entity.js';
import { SecretsModule } from '../../executions/secrets.module.js';
import { HooksController, ReceivedHooksController } from './hooks.controller.js';
import { HooksService } from './hooks.service.js';

/** Hooks, by which other systems trigger rules. */
@Module({
  imports: [SecretsModule, TypeOrmModule.forFeature([ReceivedHookEntity, RuleStateEntity])],
  controllers: [HooksController, ReceivedHooksController],
  providers: [HooksService],
  exports: [HooksService],
})
export class HooksModule {}
