import { type EntityManager } from 'typeorm';
import { type Source } from '../database/origin.js';
import { type EventType } from '../entities/column-values.js';
import { type EventTaskKey, recordEvent } from '../events/record-event.js';
import { type Workflow } from '../workspace/workspace.js';

/** What an event of approvals tells: people by their ids, as `serialize-event.ts` reads it. */
export interface AboutApproval {
  readonly action: string;
  /** Null of an override. */
  readonly group: string | null;
  readonly decision?: string;
  readonly by?: string;
  readonly for?: string | null;
  readonly comment?: string | null;
  /** Who acts. */
  readonly author?: string;
  /** Whether it is the last needed group of its action that has become complete. */
  readonly is_last?: boolean;
  /** Whether the same was told before in this state of the task: rules do not follow it again. */
  readonly is_repeated?: boolean;
}

/** Records an event of approvals of a task. */
export async function recordApproval(
  tx: EntityManager,
  type: EventType,
  { workspaceId, id }: Pick<Workflow, 'workspaceId' | 'id'>,
  task: EventTaskKey,
  origin: Source | undefined,
  about: AboutApproval,
): Promise<void> {
  await recordEvent(tx, { workspaceId, type, workflowId: id, task, origin, about });
}
