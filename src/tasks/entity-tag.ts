import { createHash } from 'node:crypto';
import { type IncomingHttpHeaders } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeaders } from '@nestjs/swagger';
import { type Request } from 'express';
import { noPrecondition, type Precondition, type BareTask, stateOfTask } from './store/task-row.js';
import { type LinkedTask, type TaskVersion, type TaskView } from '../workflows/fields/task-view.js';
import { describing } from '../common/openapi/answers.js';
import { type Workflow } from '../workflows/model/workspace.js';
import { preconditionFailed, Refusal } from '../common/errors.js';
import { code } from '../common/wording.js';
import { say } from '../common/message.js';

/**
 * Returns `"<version>-<rest>"`. The rest contains the time of the last change, the task's id and the version
 * of the definition. If there are linked tasks, the rest also contains a hash of these tasks. If the linked
 * tasks are too many or too large to load, the caller passes their hash as `linkedState`.
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

/** Parses `If-Match` and `If-None-Match: *` of a write. A tag in an unknown form matches no task. */
export function readPrecondition(headers: IncomingHttpHeaders): Precondition {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifNoneMatch !== undefined) {
    if (!anyTag.test(ifNoneMatch)) throw new Refusal('malformed', 'A write accepts only `If-None-Match: *`.');
    return { ...noPrecondition, mustExist: ifMatch !== undefined, mustNotExist: true, states: [] };
  }
  if (ifMatch === undefined) return noPrecondition;
  const states = ifMatch.trim() === '*' ? undefined : statesIn(ifMatch);
  return { ...noPrecondition, mustExist: true, states };
}

/** Matches a header that contains `*`, even if the header is given twice or also contains tags. */
const anyTag = /(?:^|,)\s*\*\s*(?:,|$)/;

/**
 * Returns the states of a task (see `stateOfTask`) that the tags of an `If-Match` header contain. A tag may
 * lack quotes. A tag may also be weak, because some proxies make tags weak. It still names one version.
 */
function statesIn(tags: string): string[] {
  return tags.split(',').flatMap((tag) => {
    const [, version, time] = /^(?:W\/)?"?(\d{1,16})-([0-9a-z]{7,9})_[0-9a-f]+_\w+"?$/.exec(tag.trim()) ?? [];
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
          description: 'The task must have the version of this `ETag`; otherwise 412.',
        },
        {
          name: 'If-None-Match',
          description: '`*`: the task must not exist; otherwise 412.',
        },
      ]),
    ),
  ],
);

export const noTaskToMatch = (): Refusal => preconditionFailed('There is no task that If-Match could match.');

/** Throws 412 unless the task meets the precondition of the request. */
export function requireMet(task: BareTask, { states, mustNotExist }: Precondition): void {
  if (mustNotExist) throw preconditionFailed(say`There is a task ${code(task.uniqueValue ?? '')} already.`);
  if (states?.includes(stateOfTask(task)) === false) throw preconditionFailed();
}
