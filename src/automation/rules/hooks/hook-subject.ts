import { type EntityManager } from 'typeorm';
import { expressionOf } from '../../../actions/linked-reads.js';
import { type RecordedEvent } from '../../../events/events.repository.js';
import { TimeAllowed } from '../../../workflows/expressions/time-allowed.js';
import {
  type ExpressionInput,
  type FactValue,
  factOfJson,
} from '../../../workflows/expressions/expression.js';
import { ExpressionError } from '../../../workflows/expressions/expression-error.js';
import { parseJson } from '../../../common/http/read-body.js';
import { todayIn } from '../../../common/calendar.js';
import { type Message, say, sentence } from '../../../common/message.js';
import { isBlankText, isStorable } from '../../../common/text.js';
import { findTask } from '../../../tasks/store/task.repository.js';
import { Scope } from '../../../workflows/model/scope.js';
import { type Workflow } from '../../../workflows/model/workspace.js';
import { ReceivedHookEntity } from './received-hook.entity.js';

export interface HookSubject {
  readonly body: FactValue;
  /** The event, with the selected task if that task exists. */
  readonly event: RecordedEvent;
  /** The Unique ID that the rule reads from the body; null if the body has none. */
  readonly uniqueId: string | null;
  /** Why the task cannot be determined; undefined if it can be. */
  readonly fault: Message | undefined;
}

/** Reads the body of a hook event, and finds the task that the rule's `task` selects. */
export async function hookSubject(
  db: EntityManager,
  workflow: Workflow,
  event: RecordedEvent,
  task: string,
): Promise<HookSubject> {
  const none = { event, uniqueId: null };
  const key = { workspaceId: workflow.workspaceId, id: String(event.about?.['hook']) };
  const received = await db.findOneBy(ReceivedHookEntity, key);
  if (!received) return { ...none, body: null, fault: 'the body has been deleted' };
  const body = factOfJson(parseJson(Buffer.from(received.body)));
  try {
    const uniqueId = uniqueIdOf(evaluateBody(workflow, task, body, event, new TimeAllowed()));
    const found = uniqueId === null ? undefined : await findTask(db, new Scope(workflow), uniqueId);
    const { id: taskId = null, publicId = null, version = null } = found ?? {};
    const known = { ...event, taskId, publicId, version, uniqueValue: uniqueId };
    return { body, uniqueId, event: found ? known : event, fault: undefined };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const fault = say`the task could not be determined: ${sentence(error.said)}`;
    return { ...none, body, fault };
  }
}

/** The value of an expression over the body of a hook. The expression can read no task. */
export function evaluateBody(
  { schema, timezone }: Workflow,
  source: string,
  body: FactValue,
  { happenedAt }: Pick<RecordedEvent, 'happenedAt'>,
  timeAllowed: TimeAllowed,
): unknown {
  const input: ExpressionInput = {
    task: new Map(),
    facts: new Map([['body', body]]),
    performer: null,
    today: todayIn(timezone, happenedAt),
    now: happenedAt.toISOString(),
  };
  return expressionOf(schema, source, undefined, ['body']).evaluate(input, timeAllowed);
}

function uniqueIdOf(value: unknown): string | null {
  if (value === null || isBlankText(value)) return null;
  if (typeof value !== 'string') throw new ExpressionError('the value is neither a text nor a number');
  if (value.length > MAX_UNIQUE_ID || !isStorable(value))
    throw new ExpressionError('the text cannot be a Unique ID');
  return value;
}

const MAX_UNIQUE_ID = 1000;
