import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RuleStateEntity } from '../entities/rule-state.entity.js';
import { EventsModule } from '../events/events.module.js';
import { RunsModule } from '../executions/runs/runs.module.js';
import { RulesController } from './rules.controller.js';
import { RulesService } from './rules.service.js';

@Module({
  imports: [EventsModule, RunsModule, TypeOrmModule.forFeature([RuleStateEntity])],
  controllers: [RulesController],
  providers: [RulesService],
  exports: [RulesService],
})
export class RulesModule {}
