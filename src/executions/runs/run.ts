import { type Given } from '../../actions/given.js';
import { type Action } from '../../actions/action.js';
import { type Cause, type ChainLink, shownEventId } from '../../common/origin.js';
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

export interface WantedRun extends RunCause {
  /** Of the workflow of the task, which may be another than that of the starter. */
  readonly scope: Scope;
  readonly action: Action;
  readonly task: RunTask;
  /** Whether a rule caused that event. */
  readonly isCaused?: boolean;
  readonly because: Message;
  readonly given?: Given | null | undefined;
  /** The local time of a firing at a set time, with its offset. */
  readonly nominal?: string;
}

/** What led to a run: its starter, the event that it followed, and the rules before it. */
interface RunCause {
  readonly starter: Starter;
  readonly eventId?: string | null;
  readonly chain?: readonly ChainLink[];
  /** The internal id of the user whose change caused it. */
  readonly initiator?: string | undefined;
}

export const causeOfRun = ({ starter, eventId = null, chain = [], initiator }: RunCause): Cause => ({
  kind: starter.kind,
  id: starter.starterId,
  workflow: starter.workflowId,
  event: eventId && shownEventId(eventId),
  chain,
  initiator,
});
