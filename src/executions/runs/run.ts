import { type Given } from '../../actions/given.js';
import { type Action } from '../../actions/action.js';
import { type Cause, type ChainLink } from '../../common/origin.js';
import { type RunEntity } from './run.entity.js';
import { type Message } from '../../common/message.js';
import { type User } from '../../workflows/fields/field-type.js';
import { type Scope } from '../../workflows/model/scope.js';

/** What starts an action, other than a person or a client: a rule, for example. */
export interface Starter extends Readonly<
  Pick<RunEntity, 'workspaceId' | 'kind' | 'workflowId' | 'starterId'>
> {
  /** The user who performs the action; absent if the starter itself does. */
  readonly performer: User | undefined;
}

export interface RunTask {
  readonly workflowId: number;
  readonly taskId: string;
  readonly publicId: string;
  readonly uniqueValue: string | null;
}

export interface WantedRun {
  readonly starter: Starter;
  /** Of the workflow of the task, which may be another than that of the starter. */
  readonly scope: Scope;
  readonly action: Action;
  readonly task: RunTask;
  readonly eventId: string | null;
  /** Whether a rule caused that event. */
  readonly isCaused: boolean;
  readonly chain: readonly ChainLink[];
  /** The internal id of the user whose change caused it. */
  readonly initiator?: string | undefined;
  readonly because: Message;
  readonly given?: Given | null | undefined;
  /** The local time of a firing at a set time, with its offset. */
  readonly nominal?: string;
}

export function causeOfRun(
  { kind, starterId, workflowId }: Starter,
  event: string | null,
  chain: readonly ChainLink[],
  initiator?: string,
): Cause {
  return { kind, id: starterId, workflow: workflowId, event, chain, initiator };
}
