import { Module } from '@nestjs/common';
import { ApprovalsController } from './approvals.controller.js';
import { ApprovalsService } from './approvals.service.js';
import {
  ApprovalEntity,
  ApprovalRoundEntity,
  TaskEditorEntity,
} from '../actions/requirements/approvals/approval.entity.js';
import { approvalsFollower } from './approvals-follower.js';
import { approvalsImpact } from './approvals.impact.js';

@Module({
  controllers: [ApprovalsController],
  providers: [ApprovalsService],
  exports: [ApprovalsService],
})
export class ApprovalsModule {}

export const approvalsFeature = {
  entities: [ApprovalRoundEntity, TaskEditorEntity, ApprovalEntity],
  impact: approvalsImpact,
  followers: [approvalsFollower],
  eventTypes: ['approval.requested', 'approval.decided', 'approval.stale', 'approval.complete'],
  modules: [ApprovalsModule],
};
