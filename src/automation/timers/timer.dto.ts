import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { calendarWithoutHours } from '../../workflows/time/calendar.js';
import { needsHours, parseDuration } from '../../workflows/time/duration.js';
import { addTo } from '../../workflows/time/working-time.js';
import { IsFilled, IsInstant, IsText, readPayload } from '../../common/http/read-dto.js';
import { suggested } from '../../common/did-you-mean.js';
import { hinted } from '../../common/message.js';
import { type FieldErrors } from '../../common/field-errors.js';
import { type JsonObject } from '../../../packages/exact-json/json.js';
import { Invalid } from '../../workflows/fields/invalid.js';
import { person } from '../../workflows/fields/types/person.js';
import { blankTask } from '../../workflows/fields/task-view.js';
import { type Given, readGiven } from '../../actions/given.js';
import { isStartedByRules, startedByRules } from '../../workflows/model/action-definition.js';
import { notYou } from '../../access/users.service.js';
import { type Scope, userOf } from '../../workflows/model/scope.js';
import { type WaitingTimer, type WantedTimer } from '../../actions/timers/timers.repository.js';

@ApiSchema({ name: 'Timer' })
export class ShownTimer {
  @ApiProperty({ description: 'Opaque.' })
  readonly id!: string;

  @ApiProperty({ description: 'The id of the action that it starts.' })
  readonly action_id!: string;

  @ApiProperty({ format: 'date-time', description: 'When it starts the action.' })
  readonly at!: string;

  @ApiProperty({ enum: ['waiting'], description: 'A timer that has fired is removed; its run stays.' })
  readonly state!: 'waiting';
}

@ApiSchema({ name: 'NewTimer' })
export class TimerPayload {
  @ApiProperty({ description: 'The id of an action of the workflow.' })
  @IsText()
  @IsFilled()
  readonly action_id?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'When it starts; required without `after`.' })
  @IsOptional()
  @IsInstant()
  @IsText()
  readonly at?: string;

  @ApiPropertyOptional({ description: 'How long from now, in minutes, hours or days: `3 days`.' })
  @IsOptional()
  @IsText()
  readonly after?: string;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'The e-mail of who acts.' })
  readonly performed_by: unknown;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'By field name.' })
  readonly fields: unknown;
}

export function showTimer({ id, actionId, at }: WaitingTimer): ShownTimer {
  return { id, action_id: actionId, at: at.toISOString(), state: 'waiting' };
}

/** Reads the payload of a timer; throws all refusals at once. */
export async function parseTimer(scope: Scope, payload: JsonObject, now: Date): Promise<WantedTimer> {
  const { value, errors } = readPayload(TimerPayload, payload, 'a timer');
  const { action_id: actionId = '' } = value;
  const known = scope.workflow.actions.map(({ id }) => id);
  if (actionId !== '' && !known.includes(actionId))
    errors.add('action_id', hinted('is not an action of this workflow', suggested(actionId, known)));
  else if (scope.workflow.actions.some((action) => action.id === actionId && isStartedByRules(action)))
    errors.add('action_id', startedByRules);
  const isAbsent = payload.get('at') == null && payload.get('after') == null;
  const at = timeOf(scope, value, now, isAbsent, errors);
  const performerId = performerOf(scope, payload, errors);
  errors.throwIfAny();
  const given = await givenBy(scope, actionId, payload);
  const cause = scope.origin?.source.cause ?? null;
  return { actionId, at, performerId, isCancelledByStage: false, given, cause };
}

/** The input of the action. It is not checked against the task: if it does not fit, the execution fails. */
async function givenBy(scope: Scope, actionId: string, payload: JsonObject): Promise<Given | null> {
  const action = scope.workflow.actions.find(({ id }) => id === actionId);
  if (!action) return null;
  const asking = { name: action.name, asked: action.fields ?? [] };
  const task = { ...blankTask, stageId: scope.workflow.schema.stages.initial.id };
  return readGiven(scope, asking, payload.get('fields'), task);
}

const MAX_YEARS = 10;

function timeOf(
  { workflow }: Scope,
  { at: instant, after: wait }: Pick<TimerPayload, 'at' | 'after'>,
  now: Date,
  isAbsent: boolean,
  errors: FieldErrors,
): Date {
  const [at, after] = [instant ?? undefined, wait ?? undefined];
  if (at !== undefined && after !== undefined) errors.add('after', 'cannot be combined with at');
  else if (at !== undefined) {
    const time = new Date(at);
    const latest = new Date(now);
    latest.setUTCFullYear(now.getUTCFullYear() + MAX_YEARS);
    if (time <= now) errors.add('at', 'is in the past');
    else if (time > latest) errors.add('at', 'is more than ten years ahead');
    return time;
  } else if (after !== undefined) {
    const { value, refusals = [] } = parseDuration(after);
    for (const { message } of refusals) errors.add('after', message);
    if (value && needsHours(value))
      errors.add('after', 'is in working time, which needs a step with a calendar');
    else if (value) return new Date(addTo(calendarWithoutHours(workflow.timezone), now.getTime(), value));
  } else if (isAbsent) errors.add('at', 'is required if after is not given');
  return now;
}

function performerOf(scope: Scope, payload: JsonObject, errors: FieldErrors): string | null {
  const { users } = scope.workflow.schema;
  const viewer = userOf(scope)?.id ?? null;
  const given = payload.get('performed_by') ?? null;
  const named = given === null ? viewer : person.parse(given, { users });
  if (named instanceof Invalid) errors.add('performed_by', named.said);
  else if (viewer !== null && named !== viewer) errors.add('performed_by', notYou);
  return typeof named === 'string' ? named : null;
}
