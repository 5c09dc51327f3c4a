import { describe, type OperationGroup } from '../openapi/operation.js';
import { json, listOf, parameters, ref } from '../openapi/vocabulary.js';
import {
  ApprovalTask,
  DecisionPayload,
  OpenApproval,
  OpenApprovalsQuery,
  ShownApproval,
  ShownDecision,
  ShownOverride,
} from './approval.dto.js';
import { ApprovalsController, OpenApprovalsController } from './approvals.controller.js';

export const describeApprovals = (): OperationGroup =>
  describe(
    ApprovalsController,
    {
      name: 'Approvals',
      description: 'Who must approve an action, and who has.',
      models: [ShownApproval, ShownDecision, ShownOverride, DecisionPayload],
    },
    {
      list: {
        id: 'listApprovals',
        summary: 'List the approvals of a task',
        description: 'Each group of each action that needs approvals, with what was decided on it.',
        answers: { 200: json('The groups.', listOf(ref('Approval'))) },
      },
      decide: {
        id: 'decideApproval',
        summary: 'Approve, reject or withdraw',
        description:
          'By a key only where the group says `by: anyone`, for the user whom `performed_by` names. A second decision of a user for a group replaces the first.',
        parameters: [parameters.idempotencyKey],
        body: { type: 'application/json', schema: ref('NewDecision') },
        answers: { 200: json('The group as it is then.', 'Approval', ['Event-Id']) },
        refusals: ['409', '412', '413', '415'],
      },
    },
  );

export const describeOpenApprovals = (): OperationGroup =>
  describe(
    OpenApprovalsController,
    {
      name: 'Open approvals',
      description: 'What waits for the decision of a user.',
      models: [OpenApproval, ApprovalTask],
    },
    {
      listOpen: {
        id: 'listOpenApprovals',
        summary: 'List what waits for a user',
        description:
          'The groups that lack a decision of the user, of actions that are offered now; in all workflows, or pages of them by `_limit`.',
        query: OpenApprovalsQuery,
        answers: { 200: json('The groups.', listOf(ref('OpenApproval')), ['Link']) },
      },
    },
  );
