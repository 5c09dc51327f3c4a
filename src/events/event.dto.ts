import { TaskAddress } from '../tasks/tasks.dto.js';
import { namesOf } from '../common/http/read-dto.js';
import { actorKinds, eventTypes, type FeatureNames, runKinds } from '../common/named-by-features.js';
import { holding, listOf, ref, type Schema } from '../common/openapi/vocabulary.js';
import { type ApiPropertyOptions, ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { executionStatuses } from '../common/column-values.js';
import { english, messageOfText } from '../common/message.js';
import { type Known, knowsAll, knownMessage } from '../workflows/model/known.js';

export class EventHead {
  @ApiProperty({ description: 'Unique; the same wherever the event is shown, and on every try.' })
  readonly id!: string;

  @ApiProperty({ type: String, enum: eventTypes, description: 'What happened.' })
  readonly type!: string;

  @ApiProperty({ format: 'date-time', description: 'When it happened.' })
  readonly timestamp!: string;
}

export class EventTask extends TaskAddress {
  @ApiProperty({ description: 'The id in its `Task URL`.' })
  readonly id!: string;

  @ApiProperty({ type: 'integer', description: 'Its version after the event, as in its `ETag`.' })
  readonly version!: number;
}

@ApiSchema({ name: 'StepOutcome' })
export class ShownOutcome {
  @ApiProperty({ description: 'The name of the step.' })
  readonly name!: string;

  @ApiProperty({
    enum: ['Success', 'Queued', 'Undone', 'Fail', 'Skipped'],
    description:
      'Queued: its message will be sent later. Undone: a later step failed; a call that was answered stays Success.',
  })
  readonly status!: string;

  @ApiPropertyOptional({ enum: ['when', 'not reached'], description: 'Why it was skipped.' })
  readonly because?: 'when' | 'not reached';
}

export const statusOfExecution = {
  enumName: 'ExecutionStatus',
  enumSchema: { description: 'Pending until it ends.' },
};

/** The errors of an execution, as they are shown to a reader who knows these workflows. */
export function toldErrors(
  { errors }: { readonly errors?: readonly string[] | null },
  known: Known = knowsAll,
): string[] {
  return (errors ?? []).map((text) => english(knownMessage(messageOfText(text), known)));
}

/** The execution that made a change or that an event is about, as it was recorded. */
export class EventExecution {
  @ApiProperty({ type: String, description: 'The execution that made the change, or of the event.' })
  readonly id: unknown;

  @ApiProperty({ type: String, nullable: true, description: 'The id of the action.' })
  readonly action: unknown;

  @ApiProperty({ type: String, nullable: true, description: 'The e-mail of the user who acts, if one does.' })
  readonly performer!: string | null;

  @ApiProperty({ enum: executionStatuses, ...statusOfExecution })
  readonly status: unknown;

  @ApiPropertyOptional({ type: [String] })
  readonly errors?: unknown;

  @ApiPropertyOptional({ type: () => [ShownOutcome] })
  readonly outcomes?: unknown;

  @ApiPropertyOptional({ type: Boolean, description: 'If its requirements were not met when it began.' })
  readonly unavailable?: boolean;
}

@ApiSchema({ description: 'Who made the change, such as a key, a user, a rule or the system.' })
export class Actor {
  @ApiProperty({ type: String, enum: actorKinds, description: 'The kind.' })
  readonly kind!: string;

  @ApiPropertyOptional({ description: 'The e-mail of a user; the id of anything else.' })
  readonly id?: string;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'Of a key, an author, or a post.' })
  readonly name?: string | null;

  @ApiPropertyOptional({ description: 'For a user: the id of the key that acts as the user.' })
  readonly key?: string;

  @ApiPropertyOptional({ type: 'integer', description: 'The version of the definition.' })
  readonly version?: number;
}

@ApiSchema({ name: 'ChainLink' })
export class ShownChainLink {
  @ApiProperty({ description: 'The id of a rule.' })
  readonly rule!: string;

  @ApiProperty({ description: 'The id of the task of its event, as in the `Task URL`.' })
  readonly task!: string;
}

@ApiSchema({
  name: 'Cause',
  description: 'The starter of the execution that made the change, if it was neither a person nor a client.',
})
export class EventCause {
  @ApiProperty({ type: String, enum: runKinds, description: 'The kind.' })
  readonly kind!: string;

  @ApiProperty({ description: 'The id of the starter.' })
  readonly id!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The event that led to it.' })
  readonly event!: string | null;

  @ApiProperty({ type: () => [ShownChainLink], description: 'The rules that started one another.' })
  readonly chain!: readonly ShownChainLink[];
}

const value: Schema = { anyOf: [ref('FieldValue'), { type: 'null' }] };

const change: Schema = {
  description: 'The value of a key before and after; for attachments and links, those added and removed.',
  anyOf: [
    holding({ from: value, to: value }),
    holding({ added: listOf(ref('Attachment')), removed: listOf(ref('Attachment')) }),
    holding({ linked: listOf({ type: 'string' }), unlinked: listOf({ type: 'string' }) }),
  ],
};

@ApiSchema({ name: 'EventData', description: 'Names are those in force when the event is read.' })
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

  @ApiProperty({ type: String, nullable: true, description: 'The id of the request in the log.' })
  readonly request_id!: string | null;

  @ApiProperty({ type: () => EventCause, nullable: true })
  readonly cause!: EventCause | null;

  @ApiPropertyOptional({ type: String, description: '`mcp`: requested by an agent.' })
  readonly via?: string;

  @ApiPropertyOptional({ type: Boolean, description: 'True if its sender wanted no rule to follow it.' })
  readonly silent?: boolean;

  @ApiPropertyOptional({
    description: 'By key. A new task: values that are not blank; a deleted task: the values that it had.',
    type: 'object',
    additionalProperties: change,
  })
  readonly changes?: unknown;

  @ApiPropertyOptional({ allOf: [ref('ChecklistItem')] })
  readonly checklist_item?: unknown;

  @ApiPropertyOptional({ allOf: [ref('Comment')] })
  readonly comment?: unknown;
}

/** Describes what events hold besides, by features, and the subjects of all other types in general. */
export function describeEventData(data: FeatureNames['eventData'], types: readonly string[]): void {
  for (const [key, described] of Object.entries(data ?? {}))
    ApiPropertyOptional(described)(EventData.prototype, key);
  const described = namesOf(EventData);
  const kinds = new Set(types.map((type) => type.replace(/\..*/, '')));
  for (const kind of kinds) if (!described.includes(kind)) ApiProperty(subject)(EventData.prototype, kind);
}

const subject = {
  type: 'object',
  description: 'What the event is about.',
  selfRequired: false,
  additionalProperties: true,
} satisfies ApiPropertyOptions;

@ApiSchema({ name: 'Event', description: 'One change of one thing.' })
export class DescribedEvent extends EventHead {
  @ApiProperty({ type: () => EventData })
  readonly data!: EventData;
}
