import { type EntityManager } from 'typeorm';
import { type Source } from '../common/origin.js';
import { type EventTaskKey, recordEvent } from '../events/record-event.js';
import { type Workflow } from '../workflows/model/workspace.js';

/** The data of an approval event, with internal ids of people, as `serialize-event.ts` reads it. */
export interface AboutApproval {
  readonly action: string;
  /** Null for an override. */
  readonly group: string | null;
  readonly decision?: string;
  readonly by?: string;
  readonly for?: string | null;
  readonly comment?: string | null;
  /** For a request: the users who may decide and have not; only notifications read it. */
  readonly open?: readonly string[];
  /** The id of the user who acts. */
  readonly author?: string;
  /** Whether this completes the last group that the action needs. */
  readonly is_last?: boolean;
  /** Whether the same was already reported in this state of the task; rules ignore repetitions. */
  readonly is_repeated?: boolean;
}

/** Records an approval event of a task. */
export async function recordApproval(
  tx: EntityManager,
  type: string,
  { workspaceId, id }: Pick<Workflow, 'workspaceId' | 'id'>,
  task: EventTaskKey,
  origin: Source | undefined,
  about: AboutApproval,
): Promise<void> {
  await recordEvent(tx, { workspaceId, type, workflowId: id, task, origin, about });
}
