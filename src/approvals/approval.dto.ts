import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { IsFilled, IsText, readPayload, telling } from '../common/http/read-dto.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { type Message } from '../common/message.js';
import { keepText } from '../workflows/fields/text-rules.js';
import { Invalid } from '../workflows/fields/invalid.js';
import { isBlankText } from '../common/text.js';

const decisionStates = ['counts', 'stale', 'withdrawn', 'ineligible'] as const;
export const wantedDecisions = ['approve', 'reject', 'withdraw'] as const;

@ApiSchema({ name: 'ApprovalDecision' })
export class ShownDecision {
  @ApiProperty({ type: String, nullable: true, description: 'The e-mail of the user who decided.' })
  readonly by!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The absent user for whom a deputy decided.' })
  readonly for!: string | null;

  @ApiProperty({ enum: ['approve', 'reject'], description: 'What was decided.' })
  readonly decision!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The comment on the decision.' })
  readonly comment!: string | null;

  @ApiProperty({ format: 'date-time', description: 'When the user decided.' })
  readonly at!: string;

  @ApiProperty({ enum: decisionStates, description: 'Whether the decision counts, or why not.' })
  readonly state!: (typeof decisionStates)[number];

  @ApiProperty({ type: String, nullable: true, description: 'Why the decision does not count.' })
  readonly because!: string | null;

  @ApiPropertyOptional({ type: String, description: 'The API key that decided, such as `via key erp`.' })
  readonly via?: string;
}

@ApiSchema({ name: 'Approval' })
export class ShownApproval {
  @ApiProperty({ description: 'The id of the action.' })
  readonly action!: string;

  @ApiProperty({ description: 'The id of the group in the action.' })
  readonly id!: string;

  @ApiProperty({ type: 'integer', description: 'How many users must approve; 0 if the group is not needed.' })
  readonly needed!: number;

  @ApiProperty({ type: 'integer', description: 'How many approvals count.' })
  readonly given!: number;

  @ApiProperty({ type: [String], description: 'E-mails of users and deputies who may still decide.' })
  readonly open!: readonly string[];

  @ApiProperty({ description: 'Identifies the state of what the group covers. Opaque.' })
  readonly seen!: string;

  @ApiProperty({ type: () => [ShownDecision], description: 'Oldest first.' })
  readonly decisions!: readonly ShownDecision[];
}

export interface PageApproval extends ShownApproval {
  readonly actionName: string;
  /** Whether the action is available in the present stage. */
  readonly isOffered: boolean;
  readonly isComplete: boolean;
  readonly isRejected: boolean;
  /** Whether the group cannot be completed: too few users may approve, or its condition is broken. */
  readonly isBlocked: boolean;
  /** The viewer's own decision, if it counts. */
  readonly own: 'approve' | 'reject' | null;
  /** Whether the viewer may decide, if only to decline. */
  readonly mayDecide: boolean;
  /** Why the viewer may not decide, or may not approve. */
  readonly why: Message | null;
  /** The e-mail of the absent user for whom the viewer would decide. */
  readonly onBehalfOf: string | null;
  readonly unmet: readonly Message[];
}

@ApiSchema({ name: 'NewDecision' })
export class DecisionPayload {
  @ApiProperty({ description: 'The id of an action that needs approvals.' })
  @IsText()
  @IsFilled()
  readonly action_id?: string;

  @ApiProperty({ description: 'The id of a group of the action.' })
  @IsText()
  @IsFilled()
  readonly id?: string;

  @ApiProperty({ enum: wantedDecisions, description: '`withdraw` takes back your own decision.' })
  @IsIn([...wantedDecisions], telling('is none of approve, reject, withdraw'))
  @IsFilled()
  readonly decision?: (typeof wantedDecisions)[number];

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 10_000 })
  @IsOptional()
  @IsText()
  readonly comment?: string | null;

  @ApiPropertyOptional({ description: '`seen` of the group; 412 if outdated. `withdraw` ignores `seen`.' })
  @IsOptional()
  @IsText()
  readonly seen?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'Default: the user of the key.' })
  @IsOptional()
  @IsText()
  readonly performed_by?: string | null;
}

export interface WantedDecision {
  readonly actionId: string;
  readonly groupId: string;
  readonly decision: (typeof wantedDecisions)[number];
  readonly comment?: string | null | undefined;
  readonly seen?: string | null | undefined;
  readonly performedBy?: string | null | undefined;
}

/** Parses the payload of a decision; throws all errors at once. */
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

/** Parses the comment on a decision; null if the comment is blank. */
export function commentOf(text: string | null | undefined): string | null | Invalid {
  const kept = keepText(text?.trim() ?? '', 10_000, controlButBreaks);
  return isBlankText(kept) ? null : kept;
}

const controlButBreaks = /(?![\t\n\r])\p{Control}/u;
