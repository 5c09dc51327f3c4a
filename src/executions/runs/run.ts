import { type Given } from '../../actions/given.js';
import { type Action } from '../../actions/action.js';
import { type Cause, type ChainLink, shownEventId } from '../../common/origin.js';
import { type RunEntity } from './run.entity.js';
import { type Message } from '../../common/message.js';
import { type User } from '../../workflows/fields/field-type.js';
import { type Scope } from '../../workflows/model/scope.js';

/** Starts actions, but is not a person or a client. A rule, for example, is a starter. */
export interface Starter extends Readonly<
  Pick<RunEntity, 'workspaceId' | 'kind' | 'workflowId' | 'starterId'>
> {
  /** The user who performs the action. Absent if the starter itself performs the action. */
  readonly performer: User | undefined;
}

export interface RunTask {
  readonly workflowId: number;
  readonly taskId: string;
  readonly publicId: string;
  readonly uniqueValue: string | null;
}

export interface WantedRun extends RunCause {
  /** The scope in the task's workflow, which may differ from the starter's workflow. */
  readonly scope: Scope;
  readonly action: Action;
  readonly task: RunTask;
  /** Whether a rule caused the event `eventId`. */
  readonly isCaused?: boolean;
  readonly because: Message;
  readonly given?: Given | null | undefined;
  /** The local time for which a schedule fired, with the offset from UTC. */
  readonly nominal?: string;
}

/** The cause of a run: its starter, the event that triggered the run, and the rules up to the starter. */
interface RunCause {
  readonly starter: Starter;
  readonly eventId?: string | null;
  readonly chain?: readonly ChainLink[];
  /** The internal id of the user whose change caused the run. */
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
