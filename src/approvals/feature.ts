import { ApprovalEntity } from '../actions/requirements/approvals/approval.entity.js';
import { ApprovalRoundEntity } from '../actions/requirements/approvals/approval-round.entity.js';
import { approvalsFollower } from './approvals-follower.js';
import { approvalsImpact } from './approvals.impact.js';
import { ApprovalsModule } from './approvals.module.js';
import { TaskEditorEntity } from '../actions/requirements/approvals/task-editor.entity.js';

export const approvalsFeature = {
  entities: [ApprovalRoundEntity, TaskEditorEntity, ApprovalEntity],
  impact: approvalsImpact,
  followers: [approvalsFollower],
  eventTypes: ['approval.requested', 'approval.decided', 'approval.stale', 'approval.complete'],
  modules: [ApprovalsModule],
};
