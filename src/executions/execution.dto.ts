import { Named } from '../workflows/definition/definition.dto.js';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { type ExecutionStatus, executionStatuses } from '../common/column-values.js';
import { statusOfExecution, ShownOutcome, toldErrors } from '../events/event.dto.js';
import { ref } from '../common/openapi/vocabulary.js';
import { PageQuery } from '../common/http/paged-list.js';
import { namesOf, noKeyOf } from '../common/http/read-dto.js';
import { Flag, OneOf } from '../common/http/query.decorator.js';
import { InvalidStart } from '../common/errors.js';
import { type User } from '../workflows/fields/field-type.js';
import { type JsonObject, type Json, NumberLiteral } from '../../packages/exact-json/json.js';
import { isBlankText, isStorable } from '../common/text.js';
import { notYou } from '../access/users.service.js';
import { userOf, type Scope } from '../workflows/model/scope.js';
import { type Workflow } from '../workflows/model/workspace.js';
import { jsonReply } from '../common/http/replies.js';
import { type Reply } from '../common/reply.js';
import { type FoundExecution } from './executions.repository.js';
import { type Message, ofField } from '../common/message.js';

export class ExecutionQuery {
  @Flag('Also shows action, performer, version of the definition, times and steps.')
  _verbose?: string;
}

export class ExecutionsQuery extends PageQuery {
  @ApiPropertyOptional({ description: 'Only executions of the task with this Unique ID.' })
  @IsOptional()
  @IsString()
  task_id?: string;

  @OneOf(executionStatuses, 'Only executions with this status.', 'ExecutionStatus')
  status?: string;

  @Flag('Also shows action, performer, version of the definition, times and steps.')
  _verbose?: string;
}

@ApiSchema({ name: 'NewExecution' })
export class StartPayload {
  @ApiProperty({ description: 'The Unique ID.', oneOf: [{ type: 'string' }, { type: 'integer' }] })
  readonly task_id: unknown;

  @ApiProperty({ allOf: [ref('ActionId')] })
  readonly action_id: unknown;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'The e-mail of the performer.' })
  readonly performed_by: unknown;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'Values by field name.' })
  readonly fields: unknown;
}

export interface Start {
  readonly taskId: string;
  readonly actionId: string;
  /** The user of the key, or the user in the request. Absent if the key itself performs the action. */
  readonly performer: User | undefined;
  /** The values for the fields that the action asks for, unparsed. */
  readonly fields: Json | undefined;
}

/** Parses the body. Throws all faults at once. */
export function parseStart(scope: Scope, payload: JsonObject): Start {
  const errors: Message[] = [];
  const text = (name: keyof StartPayload): string => {
    const value = textOf(payload.get(name) ?? null);
    if (value === undefined) errors.push(ofField(name, 'is not a text'));
    else if (isBlankText(value)) errors.push(ofField(name, 'is required'));
    return value ?? '';
  };
  const taskId = text('task_id');
  const actionId = text('action_id');
  const performedBy = payload.get('performed_by') ?? null;
  const viewer = userOf(scope);
  const named = typeof performedBy === 'string' ? scope.workflow.schema.users.find(performedBy) : undefined;
  const performer = performedBy === null ? viewer : named;
  if (performedBy !== null && !performer?.active)
    errors.push(ofField('performed_by', 'is not a user of this workspace'));
  else if (viewer && performer?.id !== viewer.id) errors.push(ofField('performed_by', notYou));
  // Refuses unknown names. With a misspelt `performed_by`, the API key itself would perform an action that
  // the user may not perform.
  const names = new Set(namesOf(StartPayload));
  const { byName } = scope.workflow.schema;
  for (const key of payload.keys())
    if (!names.has(key))
      errors.push(ofField(key, byName.has(key) ? belongsInFields : noKeyOf('an execution', key, names)));
  if (errors.length > 0) throw new InvalidStart(errors);
  return { taskId, actionId, performer, fields: payload.get('fields') };
}

const belongsInFields = 'is not a key of an execution: send values for the action under the key fields';

/** A text, or the digits of an integer; '' for null. Undefined for any other input. */
function textOf(input: Json): string | undefined {
  if (input === null) return '';
  if (input instanceof NumberLiteral) return /^-?\d+$/.test(input.text) ? input.text : undefined;
  return typeof input === 'string' && isStorable(input) ? input : undefined;
}

/** The answer to a POST: 202 if the execution is Pending, 200 if it has ended. */
export function startedReply(workflow: Workflow, execution: EndOfExecution, wait: number): Reply {
  const { id, status } = execution;
  const location = `/api/v1/workflows/${encodeURIComponent(workflow.slug)}/executions/${id}`;
  return jsonReply(JSON.stringify(shortly(execution)), {
    status: status === 'Pending' ? 202 : 200,
    headers: { Location: location, ...applied(wait) },
  });
}

export function executionReply(
  workflow: Workflow,
  execution: FoundExecution,
  { wait, isVerbose }: { readonly wait: number; readonly isVerbose: boolean },
): Reply {
  return jsonReply(JSON.stringify(showExecution(workflow, execution, isVerbose)), { headers: applied(wait) });
}

function applied(wait: number): Record<string, string> {
  return wait > 0 ? { 'Preference-Applied': `wait=${wait}` } : {};
}

/** Optional keys except `errors` are shown only with `_verbose`. */
@ApiSchema({ name: 'Execution' })
export class ShownExecution {
  @ApiProperty({ description: 'The id of the execution.' })
  readonly id!: string;

  @ApiProperty({ enum: executionStatuses, ...statusOfExecution })
  readonly status!: ExecutionStatus;

  @ApiPropertyOptional({ description: 'Only after a failure: the reasons.', type: [String] })
  readonly errors?: readonly string[];

  @ApiPropertyOptional({ description: 'This key and the next ones need `_verbose`.', type: () => Named })
  readonly action?: Named;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'The e-mail of the performer.' })
  readonly performed_by?: string | null;

  @ApiPropertyOptional({
    description: 'The version of the definition when the execution was created.',
    type: 'integer',
  })
  readonly definition?: number;

  @ApiPropertyOptional({ format: 'date-time', description: 'The time of the request.' })
  readonly created?: string;

  @ApiPropertyOptional({ type: String, format: 'date-time', nullable: true })
  readonly started?: string | null;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the execution ended.',
  })
  readonly finished?: string | null;

  @ApiPropertyOptional({ type: () => [ShownOutcome] })
  readonly steps?: FoundExecution['outcomes'];
}

export function showExecution(
  workflow: Workflow,
  execution: FoundExecution,
  isVerbose: boolean,
): ShownExecution {
  const shown = shortly(execution);
  if (!isVerbose) return shown;
  const { actionId, actionName, performerId, definition, createdAt, startedAt, finishedAt } = execution;
  const performer = performerId === null ? undefined : workflow.schema.users.get(performerId);
  return {
    ...shown,
    action: { id: actionId, name: actionName },
    performed_by: performer?.email ?? null,
    definition,
    created: createdAt.toISOString(),
    started: startedAt?.toISOString() ?? null,
    finished: finishedAt?.toISOString() ?? null,
    steps: execution.outcomes,
  };
}

function shortly({ id, status, errors }: EndOfExecution): ShownExecution {
  return { id, status, ...(errors && { errors: toldErrors({ errors }) }) };
}

type EndOfExecution = Pick<FoundExecution, 'id' | 'status' | 'errors'>;
