import { closed, listOf, ref, type Schema } from '../openapi/vocabulary.js';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import {
  eventTypes,
  executionStatuses,
  messageKinds,
  type RunKind,
  runKinds,
  webhookStates,
} from '../entities/column-values.js';
import { EventKey, EventUser, whatChanged } from './administration.dto.js';
import { type Message, messageOfText, type Telling } from '../lib/message.js';

/** An event without its data. */
export class EventHead {
  @ApiProperty({ description: 'Unique, the same wherever the event shows and on every try.' })
  readonly id!: string;

  @ApiProperty({ enum: eventTypes, description: 'What happened.' })
  readonly type!: string;

  @ApiProperty({ format: 'date-time', description: 'When it happened.' })
  readonly timestamp!: string;
}

/** The task of an event. */
export class EventTask {
  @ApiProperty({ description: 'As in its `Task URL`.' })
  readonly id!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The value of its Unique ID field.' })
  readonly unique_id!: string | null;

  @ApiProperty({ description: 'Its `Task URL`.' })
  readonly url!: string;

  @ApiProperty({ type: 'integer', description: 'The version that it came to, as in its `ETag`.' })
  readonly version!: number | null;
}

/** The outcome of a step of an execution. */
@ApiSchema({ name: 'StepOutcome' })
export class ShownOutcome {
  @ApiProperty({ description: 'Of the step.' })
  readonly name!: string;

  @ApiProperty({
    enum: ['Success', 'Queued', 'Undone', 'Fail', 'Skipped'],
    description:
      'What became of it; Queued where its message was left to be sent, Undone where a later step failed. A call that was answered stays Success.',
  })
  readonly status!: string;

  @ApiPropertyOptional({
    type: String,
    description:
      'Why it failed, where the action went on all the same; of a step that was skipped, `when` or `not reached`.',
  })
  readonly because?: Message;
}

/** The description of an execution's status. */
export const statusOfExecution = {
  enumName: 'ExecutionStatus',
  enumSchema: { description: 'Pending until it ends.' },
};

/** The errors and outcomes of an execution, as they are shown. */
export function toldEnd<Outcome extends { readonly because?: Message }>(
  kept: { readonly errors?: readonly string[] | null; readonly outcomes?: readonly Outcome[] },
  told: Telling,
): { readonly errors: Message[]; readonly outcomes: Outcome[] } {
  const errors = (kept.errors ?? []).map((text) => told(messageOfText(text)));
  const outcomes = (kept.outcomes ?? []).map((outcome) =>
    outcome.because === undefined ? outcome : { ...outcome, because: told(outcome.because) },
  );
  return { errors, outcomes };
}

/** The execution that made a change or that an event is about, as it was recorded. */
export class EventExecution {
  @ApiProperty({
    type: String,
    description: 'Of the execution that made the change, or that the event is about.',
  })
  readonly id: unknown;

  @ApiProperty({ type: String, nullable: true, description: 'The id of the action.' })
  readonly action: unknown;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The e-mail of the user, or null where the key itself acts.',
  })
  readonly performer!: string | null;

  @ApiProperty({ enum: executionStatuses, ...statusOfExecution })
  readonly status: unknown;

  @ApiPropertyOptional({ type: [String] })
  readonly errors?: unknown;

  @ApiPropertyOptional({ type: () => [ShownOutcome] })
  readonly outcomes?: unknown;

  @ApiPropertyOptional({
    type: Boolean,
    description: 'True where a rule, clock, schedule or timer started it and its requirements were not met.',
  })
  readonly unavailable?: boolean;
}

/** The author of a change. */
@ApiSchema({
  description:
    'Who made the change: a key, a user, a definition that was applied, what started an action by itself, or the system.',
})
export class Actor {
  @ApiProperty({ enum: ['key', 'user', 'definition', 'system', ...runKinds], description: 'What it is.' })
  readonly kind!: 'key' | 'user' | 'definition' | 'system' | RunKind;

  @ApiPropertyOptional({
    description: 'The id of the key, rule, clock, schedule or timer, or the e-mail of the user.',
  })
  readonly id?: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'Of the key, or of who applied the definition.',
  })
  readonly name?: string | null;

  @ApiPropertyOptional({ description: 'Of a user: the id of the key that acts as them.' })
  readonly key?: string;

  @ApiPropertyOptional({ type: 'integer', description: 'Of the definition.' })
  readonly version?: number;
}

@ApiSchema({ name: 'ChainLink' })
export class ShownChainLink {
  @ApiProperty({ description: 'The id of a rule.' })
  readonly rule!: string;

  @ApiProperty({ description: 'The task of its event, as in the `Task URL`.' })
  readonly task!: string;
}

/** The rule, clock, schedule or timer that started the execution. */
@ApiSchema({
  name: 'Cause',
  description:
    'What started the execution that made the change, where that was neither a person nor a client.',
})
class ShownCause {
  @ApiProperty({ enum: runKinds, description: 'What it is.' })
  readonly kind!: RunKind;

  @ApiProperty({ description: 'The id of the rule, clock, schedule or timer.' })
  readonly id!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The event that led to it.' })
  readonly event!: string | null;

  @ApiProperty({
    type: () => [ShownChainLink],
    description: 'The rules that led from one to the next, the first one first.',
  })
  readonly chain!: readonly ShownChainLink[];
}

@ApiSchema({ name: 'EventClock' })
class EventClock {
  @ApiProperty({ description: 'Of the clock.' })
  readonly id!: string;

  @ApiProperty({ description: 'Its `at`.' })
  readonly rung!: string;

  @ApiProperty({ format: 'date-time', description: 'When it was due.' })
  readonly due_at!: string;

  @ApiProperty({ description: 'How much later it was looked at: an ISO 8601 duration.' })
  readonly late_by!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The id of the action that it starts.' })
  readonly run!: string | null;
}

@ApiSchema({ name: 'EventRule' })
class EventRule {
  @ApiProperty({ description: 'Of the rule.' })
  readonly id!: string;

  @ApiPropertyOptional({ type: () => [ShownChainLink], description: 'Of a loop: the rules that led to it.' })
  readonly chain?: readonly ShownChainLink[];
}

@ApiSchema({ name: 'EventSchedule' })
class EventSchedule {
  @ApiProperty({ description: 'Of the schedule.' })
  readonly id!: string;
}

const value: Schema = { anyOf: [ref('FieldValue'), { type: 'null' }] };

const change: Schema = {
  description: 'What a key was and what it became; of attachments and links, what came and what went.',
  anyOf: [
    closed({ from: value, to: value }),
    closed({ added: listOf(ref('Attachment')), removed: listOf(ref('Attachment')) }),
    closed({ linked: listOf({ type: 'string' }), unlinked: listOf({ type: 'string' }) }),
  ],
};

@ApiSchema({ name: 'AppliedDefinition' })
class AppliedDefinition {
  @ApiProperty({ type: 'integer' })
  readonly version!: number;
}

@ApiSchema({ name: 'EventWebhook' })
class EventWebhook {
  @ApiProperty({ description: 'Of the webhook.' })
  readonly id!: string;

  @ApiPropertyOptional({
    enum: ['gone', 'failing'],
    description: 'Of `webhook.disabled`: answered with 410, or five days without a success.',
  })
  readonly reason?: string;

  @ApiPropertyOptional({ enum: ['api', 'definition'], description: 'Where it is changed.' })
  readonly managed_by?: string;

  @ApiPropertyOptional({ enum: webhookStates, description: 'Only what is active is sent to.' })
  readonly state?: string;

  @ApiPropertyOptional(whatChanged)
  readonly changed?: readonly string[];
}

@ApiSchema({ name: 'EventMessage' })
class EventMessage {
  @ApiProperty({ description: 'Of the message.' })
  readonly id!: string;

  @ApiProperty({ enum: messageKinds, description: 'Mail, or a post to a channel.' })
  readonly kind!: string;

  @ApiProperty({ description: 'The e-mail address, or the id of the channel.' })
  readonly to!: string;

  @ApiProperty({ type: String, nullable: true, description: 'Of mail; null of a post.' })
  readonly subject!: string | null;

  @ApiProperty({ description: 'Why it could not be sent.' })
  readonly cause!: string;

  @ApiProperty({ type: 'integer', description: 'How often it was tried.' })
  readonly tries!: number;
}

@ApiSchema({ name: 'EventApproval' })
class EventApproval {
  @ApiProperty({ type: String, description: 'The id of the action.' })
  readonly action!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The id of the group; null of an override.' })
  readonly id!: string | null;

  @ApiPropertyOptional({
    enum: ['approve', 'reject', 'withdraw', 'override'],
    description: 'What was decided, or what counts no longer.',
  })
  readonly decision?: string;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'The e-mail of who decided.' })
  readonly by?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'The e-mail of who was away, where it was decided for them.',
  })
  readonly for?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'What was said about it.' })
  readonly comment?: string | null;
}

@ApiSchema({ name: 'EventHook', description: 'What came to a rule on hook.' })
class EventHook {
  @ApiProperty({ description: 'The id of the rule.' })
  readonly rule!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The `webhook-id` of the sender.' })
  readonly webhook_id!: string | null;
}

@ApiSchema({
  name: 'CurrentTask',
  description: 'Only in what a webhook with `include: task` sends: the task as it is then.',
})
class CurrentTask extends AppliedDefinition {
  @ApiProperty({ allOf: [ref('Task')] })
  readonly task!: unknown;
}

@ApiSchema({ name: 'EventData', description: 'By the names that are in force as it is read.' })
class EventData {
  @ApiProperty({ description: 'The id of the workspace.' })
  readonly workspace!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The id of the workflow.' })
  readonly workflow!: string | null;

  @ApiProperty({ type: () => EventTask, nullable: true })
  readonly task!: EventTask | null;

  @ApiProperty({ type: () => Actor })
  readonly actor!: Actor;

  @ApiProperty({ type: () => EventExecution, nullable: true })
  readonly execution!: EventExecution | null;

  @ApiProperty({ type: String, nullable: true, description: 'The request in the log of the service.' })
  readonly request_id!: string | null;

  @ApiProperty({ type: () => ShownCause, nullable: true })
  readonly cause!: ShownCause | null;

  @ApiPropertyOptional({ type: String, description: '`mcp`: asked by an agent; `bin`: restored.' })
  readonly via?: string;

  @ApiPropertyOptional({ type: Boolean, description: 'True where the change asked that no rule follows it.' })
  readonly silent?: boolean;

  @ApiPropertyOptional({
    description: 'By key; of a new task all that is not blank, of a deleted one what it had.',
    type: 'object',
    additionalProperties: change,
  })
  readonly changes?: unknown;

  @ApiPropertyOptional({ allOf: [ref('ChecklistItem')] })
  readonly checklist_item?: unknown;

  @ApiPropertyOptional({ allOf: [ref('Comment')] })
  readonly comment?: unknown;

  @ApiPropertyOptional({ type: () => AppliedDefinition })
  readonly definition?: AppliedDefinition;

  @ApiPropertyOptional({ type: () => EventKey })
  readonly key?: EventKey;

  @ApiPropertyOptional({ type: () => EventUser })
  readonly user?: EventUser;

  @ApiPropertyOptional({ type: () => EventWebhook })
  readonly webhook?: EventWebhook;

  @ApiPropertyOptional({ type: () => EventRule })
  readonly rule?: EventRule;

  @ApiPropertyOptional({ type: () => EventClock })
  readonly clock?: EventClock;

  @ApiPropertyOptional({ type: () => EventMessage })
  readonly message?: EventMessage;

  @ApiPropertyOptional({ type: () => EventSchedule })
  readonly schedule?: EventSchedule;

  @ApiPropertyOptional({ type: () => EventApproval })
  readonly approval?: EventApproval;

  @ApiPropertyOptional({ type: () => EventHook })
  readonly hook?: EventHook;

  @ApiPropertyOptional({ type: () => CurrentTask, nullable: true })
  readonly current?: CurrentTask | null;
}

/** An event as feeds and webhooks show it. */
@ApiSchema({ name: 'Event', description: 'One change of one thing.' })
export class DescribedEvent extends EventHead {
  @ApiProperty({ type: () => EventData })
  readonly data!: EventData;
}

/** The test event of a webhook. */
@ApiSchema({ description: 'Tells of nothing but itself.' })
export class TestEvent extends DescribedEvent {
  @ApiProperty({ enum: ['webhook.test'], description: 'What it is.' })
  override readonly type!: string;
}
