import { type Given } from '../../workspace/given.js';
import { type Action } from '../../actions/action.js';
import { type Cause, type ChainLink } from '../../entities/cause.js';
import { type RunEntity } from '../../entities/run.entity.js';
import { type Message } from '../../lib/message.js';
import { type User } from '../../schema/field-type.js';
import { type Scope } from '../../workspace/scope.js';

/** Who wants an action to be started: a rule, clock, schedule or timer. */
export interface Starter extends Readonly<
  Pick<RunEntity, 'workspaceId' | 'kind' | 'workflowId' | 'starterId'>
> {
  /** The user who performs the action; the starter itself where there is none. */
  readonly performer: User | undefined;
}

/** The task on which an action is to run. */
export interface RunTask {
  readonly workflowId: number;
  readonly taskId: string;
  readonly publicId: string;
  readonly uniqueValue: string | null;
}

/** One start that is wanted. */
export interface WantedRun {
  readonly starter: Starter;
  /** Of the workflow of the task. */
  readonly scope: Scope;
  readonly action: Action;
  readonly task: RunTask;
  /** The id of the event that led to it, as the database has it. */
  readonly eventId: string | null;
  /** Whether a rule caused that event. */
  readonly isCaused: boolean;
  readonly chain: readonly ChainLink[];
  /** The internal id of the user whose change led to it. */
  readonly initiator?: string | undefined;
  readonly because: Message;
  /** What the action is given, if it asks for values. */
  readonly given?: Given | null | undefined;
  /** The local time, with its offset, that a schedule fires for. */
  readonly nominal?: string;
}

/** What the events of an execution name as their cause. */
export function causeOfRun(
  { kind, starterId }: Starter,
  event: string | null,
  chain: readonly ChainLink[],
  initiator?: string,
): Cause {
  return { kind, id: starterId, event, chain, initiator };
}
