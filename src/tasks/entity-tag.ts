import { isKnown } from '../common/http/replies.js';
import { createHash } from 'node:crypto';
import { type IncomingHttpHeaders } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeaders } from '@nestjs/swagger';
import { type Request } from 'express';
import { noPrecondition, type Precondition, type BareTask, stateOfTask } from './store/task-row.js';
import { type LinkedTask, type TaskVersion, type TaskView } from '../workflows/fields/task-view.js';
import { describing } from '../common/openapi/answers.js';
import { type Workflow } from '../workflows/model/workspace.js';
import { type EntityManager } from 'typeorm';
import { preconditionFailed, type Refusal } from '../common/errors.js';
import { code } from '../common/wording.js';
import { linkedState, readLinked } from './store/linked-tasks.js';
import { type Scope } from '../workflows/model/scope.js';
import { say } from '../common/message.js';

/**
 * `"<version>-<hash>"`: the version counts the task's changes. The hash begins with the time of the last change, and
 * covers the task, its definition and the states of its linked tasks. If these are too many to be loaded, pass
 * `linkedState`.
 */
export function entityTag(
  { version }: Workflow,
  task: Pick<TaskView, 'publicId' | 'linked'> & TaskVersion,
  linkedState?: string,
): string {
  const linked = linkedState ?? stateOf(task.linked ?? []);
  const id = Buffer.from(task.publicId, 'base64url').toString('hex');
  return `"${task.version}-${task.changedAt.toString(36)}_${id}_${version.toString(36)}${linked && `_${linked}`}"`;
}

function stateOf(linked: readonly LinkedTask[]): string {
  if (linked.length === 0) return '';
  const text = linked.map((task) => `${task.side} ${task.publicId} ${stateOfTask(task)}`).join();
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** What `If-Match` and `If-None-Match` demand of the task that a write finds; an unknown tag matches no version. */
export function readPrecondition(headers: IncomingHttpHeaders): Precondition {
  const { 'if-match': ifMatch, 'if-none-match': excluded } = headers;
  if (excluded && anyTag.test(excluded))
    return { ...noPrecondition, mustExist: ifMatch !== undefined, mustNotExist: true, states: [] };
  // Like a malformed `If-Match`, a malformed `If-None-Match` is not met.
  if (excluded !== undefined && !listOfTags.test(excluded))
    return { ...noPrecondition, mustExist: true, states: [] };
  if (ifMatch === undefined) return excluded ? { ...noPrecondition, excluded } : noPrecondition;
  const states = ifMatch.trim() === '*' ? undefined : statesIn(ifMatch);
  return { ...noPrecondition, excluded, mustExist: true, states };
}

/** Matches `*`, even if the header is given twice or has tags beside it. */
const anyTag = /(?:^|,)\s*\*\s*(?:,|$)/;

/** Entity tags of RFC 9110, 8.8.3, separated by commas. A place between commas may be empty. */
const listOfTags = /^[\s,]*(?:(?:W\/)?"[!#-~\x80-\xff]*"\s*(?:,[\s,]*|$))*$/;

/** The task states that tags name. */
function statesIn(tags: string): string[] {
  return tags.split(',').flatMap((tag) => {
    const [, version, time] = /^"(\d{1,16})-([0-9a-z]{7,9})_[0-9a-f]+_\w+"$/.exec(tag.trim()) ?? [];
    if (version === undefined || time === undefined) return [];
    return [stateOfTask({ version: Number(version), changedAt: parseInt(time, 36) })];
  });
}

export const Demanded = createParamDecorator(
  (_: unknown, context: ExecutionContext): Precondition =>
    readPrecondition(context.switchToHttp().getRequest<Request>().headers),
  [
    describing(
      ApiHeaders([
        {
          name: 'If-Match',
          description: 'The task must be in the version of this `ETag`; otherwise 412.',
        },
        {
          name: 'If-None-Match',
          description: 'The task must have none of these `ETag`s; `*`: it must not exist; otherwise 412.',
        },
      ]),
    ),
  ],
);

export async function currentTag(db: EntityManager, scope: Scope, task: BareTask): Promise<string> {
  const isLong = task.linked === null;
  return entityTag(scope.workflow, task, isLong ? await linkedState(db, scope, task.id) : undefined);
}

export const noTaskToMatch = (): Refusal => preconditionFailed('There is no task that If-Match could match.');

/** Throws (412) unless a task, read or locked by this manager, meets the request's condition. */
export async function requireMet(
  db: EntityManager,
  scope: Scope,
  task: BareTask,
  { states, excluded, mustNotExist }: Precondition,
): Promise<void> {
  if (mustNotExist) throw preconditionFailed(say`There is a task ${code(task.uniqueValue ?? '')} already.`);
  if (states?.includes(stateOfTask(task)) === false) throw preconditionFailed();
  if (excluded === undefined) return;
  const linked = await readLinked(db, scope, task.id);
  if (isKnown(excluded, await currentTag(db, scope, { ...task, linked })))
    throw preconditionFailed('If-None-Match names the current ETag of the task.');
}
