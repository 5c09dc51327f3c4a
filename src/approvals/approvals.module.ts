import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApprovalRoundEntity } from '../entities/approval-round.entity.js';
import { ApprovalEntity } from '../entities/approval.entity.js';
import { TaskEditorEntity } from '../entities/task-editor.entity.js';
import { ApprovalsController, OpenApprovalsController } from './approvals.controller.js';
import { ApprovalsService } from './approvals.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([ApprovalEntity, TaskEditorEntity, ApprovalRoundEntity])],
  controllers: [ApprovalsController, OpenApprovalsController],
  providers: [ApprovalsService],
  exports: [ApprovalsService],
})
export class ApprovalsModule {}
