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
        description: 'Each group of each action that needs approvals, with its decisions.',
        answers: { 200: json('The groups.', listOf(ref('Approval'))) },
      },
      decide: {
        id: 'decideApproval',
        summary: 'Approve, reject or withdraw',
        description:
          'A key can decide only if the group has `by: anyone`, for the user named in `performed_by`. A second decision of a user for a group replaces the first.',
        parameters: [parameters.idempotencyKey],
        body: { type: 'application/json', schema: ref('NewDecision') },
        answers: { 200: json('The group after the decision.', 'Approval', ['Event-Id']) },
        refusals: ['409', '412', '413', '415'],
      },
    },
  );

export const describeOpenApprovals = (): OperationGroup =>
  describe(
    OpenApprovalsController,
    {
      name: 'Open approvals',
      description: 'Approvals that wait for a user.',
      models: [OpenApproval, ApprovalTask],
    },
    {
      listOpen: {
        id: 'listOpenApprovals',
        summary: 'List the approvals that wait for a user',
        description:
          'The groups that wait for a decision of the user, for actions that are available now, in all workflows; with `_limit`, in pages.',
        query: OpenApprovalsQuery,
        answers: { 200: json('The groups.', listOf(ref('OpenApproval')), ['Link']) },
      },
    },
  );
