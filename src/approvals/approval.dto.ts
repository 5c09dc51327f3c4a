import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsDefined, IsIn, IsOptional } from 'class-validator';
import { PageQuery } from '../http/paged-list.js';
import { IsText, readPayload, telling } from '../http/read-dto.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { type Message } from '../lib/message.js';
import { keepText } from '../schema/text-rules.js';
import { Invalid } from '../schema/invalid.js';

const decisionStates = ['counts', 'stale', 'expired', 'withdrawn', 'ineligible'] as const;
const wantedDecisions = ['approve', 'reject', 'withdraw'] as const;

/** A decision, as the API shows it. */
@ApiSchema({ name: 'ApprovalDecision' })
export class ShownDecision {
  @ApiProperty({ type: String, nullable: true, description: 'The e-mail of who decided.' })
  readonly by!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The e-mail of who was away, where it was decided for them.',
  })
  readonly for!: string | null;

  @ApiProperty({ enum: ['approve', 'reject'], description: 'What was decided.' })
  readonly decision!: string;

  @ApiProperty({ type: String, nullable: true, description: 'What was said about it.' })
  readonly comment!: string | null;

  @ApiProperty({ format: 'date-time', description: 'When it was decided.' })
  readonly at!: string;

  @ApiProperty({ enum: decisionStates, description: 'Whether it counts, or why not.' })
  readonly state!: (typeof decisionStates)[number];

  @ApiProperty({ type: String, nullable: true, description: 'Why it does not count.' })
  readonly because!: Message | null;

  @ApiPropertyOptional({ type: String, description: 'The key by which it came: `via key erp`.' })
  readonly via?: string;
}

/** An administrator's override of the approvals of an action. */
@ApiSchema({ name: 'ApprovalOverride' })
export class ShownOverride {
  @ApiProperty({ type: String, nullable: true, description: 'The e-mail of the administrator.' })
  readonly by!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why.' })
  readonly reason!: string | null;

  @ApiProperty({ format: 'date-time', description: 'When.' })
  readonly at!: string;
}

/** The state of a group of approvals on a task. */
@ApiSchema({ name: 'Approval' })
export class ShownApproval {
  @ApiProperty({ description: 'The id of the action.' })
  readonly action!: string;

  @ApiProperty({ description: 'The id of the group in the action.' })
  readonly id!: string;

  @ApiProperty({ type: 'integer', description: 'How many must approve; 0 where the group is not needed.' })
  readonly needed!: number;

  @ApiProperty({ type: 'integer', description: 'How many approvals count.' })
  readonly given!: number;

  @ApiProperty({ type: [String], description: 'Who may decide and has not, deputies included.' })
  readonly open!: readonly string[];

  @ApiProperty({ description: 'Names this state of the task. Opaque.' })
  readonly seen!: string;

  @ApiProperty({ type: () => [ShownDecision], description: 'The oldest first.' })
  readonly decisions!: readonly ShownDecision[];

  @ApiPropertyOptional({ type: () => ShownOverride, description: 'Where an administrator set it aside.' })
  readonly overridden?: ShownOverride;
}

/** The state of a group, with additional facts for pages. */
export interface PageApproval extends ShownApproval {
  readonly actionName: string;
  /** Whether the action is available in the present stage. */
  readonly isOffered: boolean;
  readonly isComplete: boolean;
  readonly isRejected: boolean;
  /** Whether the group cannot be completed any more. */
  readonly isBlocked: boolean;
  /** The viewer's own decision, if it counts. */
  readonly own: 'approve' | 'reject' | null;
  readonly mayDecide: boolean;
  /** Why the viewer may not decide. */
  readonly why: Message | null;
  /** The e-mail of the absent user for whom the viewer would decide. */
  readonly onBehalfOf: string | null;
  /** What is missing for the group. */
  readonly unmet: readonly Message[];
}

/** The body of a decision. */
@ApiSchema({ name: 'NewDecision' })
export class DecisionPayload {
  @ApiProperty({ description: 'The id of an action of the workflow that needs approvals.' })
  @IsText()
  @IsDefined(telling('is required'))
  readonly action_id?: string;

  @ApiProperty({ description: 'The id of one of its groups.' })
  @IsText()
  @IsDefined(telling('is required'))
  readonly id?: string;

  @ApiProperty({
    enum: wantedDecisions,
    description: 'withdraw takes back what the same user has decided.',
  })
  @IsIn([...wantedDecisions], telling('is none of approve, reject, withdraw'))
  @IsDefined(telling('is required'))
  readonly decision?: (typeof wantedDecisions)[number];

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: 10_000,
    description: 'What is said about it; a rejection needs one.',
  })
  @IsOptional()
  @IsText()
  readonly comment?: string | null;

  @ApiPropertyOptional({
    description: 'The state that was looked at, as the answer of GET has it: 412 where it is another by now.',
  })
  @IsOptional()
  @IsText()
  readonly seen?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'The e-mail of the user who decides. A key needs it.',
  })
  @IsOptional()
  @IsText()
  readonly performed_by?: string | null;
}

/** A decision that a user wants to make. */
export interface WantedDecision {
  readonly actionId: string;
  readonly groupId: string;
  readonly decision: (typeof wantedDecisions)[number];
  readonly comment?: string | null | undefined;
  readonly seen?: string | null | undefined;
  readonly performedBy?: string | null | undefined;
}

/** Parses the body of a decision; throws all faults at once. */
export function parseDecision(payload: JsonObject): WantedDecision {
  const { value, errors } = readPayload(DecisionPayload, payload, 'a decision');
  const comment = commentOf(value.comment);
  if (comment instanceof Invalid) errors.add('comment', comment.said);
  errors.throwIfAny();
  return {
    actionId: value.action_id ?? '',
    groupId: value.id ?? '',
    decision: value.decision ?? 'approve',
    comment: comment instanceof Invalid ? null : comment,
    seen: value.seen,
    performedBy: value.performed_by,
  };
}

/** Validates a comment; null if it is blank. */
export function commentOf(text: string | null | undefined): string | null | Invalid {
  const kept = keepText(text?.trim() ?? '', 10_000, controlButBreaks);
  return kept instanceof Invalid ? kept : kept || null;
}

const controlButBreaks = /(?![\t\n\r])\p{Control}/u;

/** The task of an open approval. */
export class ApprovalTask {
  @ApiProperty({ type: String, nullable: true, description: 'The value of its Unique ID field.' })
  readonly unique_id!: string | null;

  @ApiProperty({ description: 'Its `Task URL`.' })
  readonly url!: string;
}

/** A group that waits for a user's decision. */
export class OpenApproval {
  @ApiProperty({ description: 'The id of the workflow.' })
  readonly workflow!: string;

  @ApiProperty({ type: () => ApprovalTask })
  readonly task!: ApprovalTask;

  @ApiProperty({ description: 'The id of the action.' })
  readonly action!: string;

  @ApiProperty({ description: 'The id of the group.' })
  readonly id!: string;

  @ApiProperty({ type: 'integer', description: 'How many must approve.' })
  readonly needed!: number;

  @ApiProperty({ type: 'integer', description: 'How many approvals count.' })
  readonly given!: number;

  @ApiProperty({
    format: 'date-time',
    description: 'Since when: the task came to its stage, or an approval ended.',
  })
  readonly since!: string;
}

/** The query parameters of the list of open approvals. */
export class OpenApprovalsQuery extends PageQuery {
  @ApiProperty({ description: 'The e-mail of a user: the approvals that wait for their decision.' })
  @IsText()
  @IsDefined(telling('is required'))
  open_for?: string;
}
