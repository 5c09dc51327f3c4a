import { TaskAddress } from '../tasks/tasks.dto.js';
import { namesOf } from '../common/http/read-dto.js';
import { actorKinds, eventTypes, type FeatureNames, runKinds } from '../common/named-by-features.js';
import { holding, listOf, ref, type Schema } from '../common/openapi/vocabulary.js';
import { type ApiPropertyOptions, ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { executionStatuses } from '../common/column-values.js';
import { english, messageOfText } from '../common/message.js';
import { type Known, knowsAll, knownMessage } from '../workflows/model/known.js';

export class EventHead {
  @ApiProperty({ description: 'The unique id of the event. Every try of a delivery has the same id.' })
  readonly id!: string;

  @ApiProperty({ type: String, enum: eventTypes, description: 'The type of the event.' })
  readonly type!: string;

  @ApiProperty({ format: 'date-time', description: 'The time of the event.' })
  readonly timestamp!: string;
}

export class EventTask extends TaskAddress {
  @ApiProperty({ description: 'The id in the `Task URL`.' })
  readonly id!: string;

  @ApiProperty({ type: 'integer', description: 'The version of the task after the event, as in the `ETag`.' })
  readonly version!: number;
}

@ApiSchema({ name: 'StepOutcome' })
export class ShownOutcome {
  @ApiProperty({ description: 'The name of the step.' })
  readonly name!: string;

  @ApiProperty({
    enum: ['Success', 'Queued', 'Undone', 'Fail', 'Skipped'],
    description:
      'Queued: the message will be sent later. Undone: rolled back, because a later step failed. A call that was answered stays Success.',
  })
  readonly status!: string;

  @ApiPropertyOptional({ enum: ['when', 'not reached'], description: 'Why the step was skipped.' })
  readonly because?: 'when' | 'not reached';
}

export const statusOfExecution = {
  enumName: 'ExecutionStatus',
  enumSchema: { description: 'Pending until the execution ends.' },
};

/** The errors of an execution in English, for a reader who may see only the workflows `known`. */
export function toldErrors(
  { errors }: { readonly errors?: readonly string[] | null },
  known: Known = knowsAll,
): string[] {
  return (errors ?? []).map((text) => english(knownMessage(messageOfText(text), known)));
}

/** The recorded state of the execution that made a change, or that an event is about. */
export class EventExecution {
  @ApiProperty({
    type: String,
    description: 'The id of the execution that made the change, or that the event is about.',
  })
  readonly id: unknown;

  @ApiProperty({ type: String, nullable: true, description: 'The id of the action.' })
  readonly action: unknown;

  @ApiProperty({ type: String, nullable: true, description: 'The e-mail of the performer.' })
  readonly performer!: string | null;

  @ApiProperty({ enum: executionStatuses, ...statusOfExecution })
  readonly status: unknown;

  @ApiPropertyOptional({ type: [String] })
  readonly errors?: unknown;

  @ApiPropertyOptional({ type: () => [ShownOutcome] })
  readonly outcomes?: unknown;

  @ApiPropertyOptional({
    type: Boolean,
    description: 'True if the execution failed before any step, for example by an unmet requirement.',
  })
  readonly unavailable?: boolean;
}

@ApiSchema({ description: 'Who made the change, such as a key, a user, a rule or the system.' })
export class Actor {
  @ApiProperty({ type: String, enum: actorKinds, description: 'The kind.' })
  readonly kind!: string;

  @ApiPropertyOptional({ description: 'The e-mail of a user; the id of anything else.' })
  readonly id?: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'The key’s name, the definition’s author, or the form’s reference.',
  })
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

  @ApiProperty({ description: 'The id of the task that triggered the rule, as in the `Task URL`.' })
  readonly task!: string;
}

@ApiSchema({
  name: 'Cause',
  description: 'What started the execution that made the change, unless a person or a client started it.',
})
export class EventCause {
  @ApiProperty({ type: String, enum: runKinds, description: 'The kind.' })
  readonly kind!: string;

  @ApiProperty({ description: 'The id of the starter.' })
  readonly id!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The id of the event that triggered the starter.',
  })
  readonly event!: string | null;

  @ApiProperty({ type: () => [ShownChainLink], description: 'The rules, each of which triggered the next.' })
  readonly chain!: readonly ShownChainLink[];
}

const value: Schema = { anyOf: [ref('FieldValue'), { type: 'null' }] };

const change: Schema = {
  description:
    'The value of a key before and after the change. For attachments and links: which were added and removed.',
  anyOf: [
    holding({ from: value, to: value }),
    holding({ added: listOf(ref('Attachment')), removed: listOf(ref('Attachment')) }),
    holding({ linked: listOf({ type: 'string' }), unlinked: listOf({ type: 'string' }) }),
  ],
};

@ApiSchema({ name: 'EventData', description: 'Names come from the definition at the time of reading.' })
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

  @ApiPropertyOptional({
    type: Boolean,
    description: 'True if the change starts no rule and notifies nobody.',
  })
  readonly silent?: boolean;

  @ApiPropertyOptional({
    description:
      'The changes by key. For a new task: its values that are not blank. For a deleted task: its last values.',
    type: 'object',
    additionalProperties: change,
  })
  readonly changes?: unknown;

  @ApiPropertyOptional({ allOf: [ref('ChecklistItem')] })
  readonly checklist_item?: unknown;

  @ApiPropertyOptional({ allOf: [ref('Comment')] })
  readonly comment?: unknown;
}

/**
 * Describes the keys that features add to the data of events. A kind of event that no feature describes gets
 * a general description.
 */
export function describeEventData(data: FeatureNames['eventData'], types: readonly string[]): void {
  for (const [key, described] of Object.entries(data ?? {}))
    ApiPropertyOptional(described)(EventData.prototype, key);
  const described = namesOf(EventData);
  const kinds = new Set(types.map((type) => type.replace(/\..*/, '')));
  for (const kind of kinds) if (!described.includes(kind)) ApiProperty(subject)(EventData.prototype, kind);
}

const subject = {
  type: 'object',
  description: 'The subject of the event.',
  selfRequired: false,
  additionalProperties: true,
} satisfies ApiPropertyOptions;

@ApiSchema({ name: 'Event', description: 'One change.' })
export class DescribedEvent extends EventHead {
  @ApiProperty({ type: () => EventData })
  readonly data!: EventData;
}
