import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RuleStateEntity } from '../entities/rule-state.entity.js';
import { RunsModule } from '../runs/runs.module.js';
import { RulesController } from './rules.controller.js';
import { RulesService } from './rules.service.js';

@Module({
  imports: [RunsModule, TypeOrmModule.forFeature([RuleStateEntity])],
  controllers: [RulesController],
  providers: [RulesService],
  exports: [RulesService],
})
export class RulesModule {}
