import { type EntityManager } from 'typeorm';
import { type Workflow } from '../workspace/workspace.js';
import {
  lockClocksOf,
  type NewClock,
  noteDue,
  type StoredClock,
  writeClocksOf,
} from './clocks.repository.js';

/** The clocks that a turn of the follower has locked and changed, until it stores them all at once. */
export class HeldClocks {
  private readonly clocks = new Map<string, Map<string, StoredClock>>();
  private readonly changed = new Map<string, NewClock & { readonly taskId: string }>();
  private readonly tasks = new Set<string>();

  constructor(
    private readonly tx: EntityManager,
    private readonly workflow: Workflow,
  ) {}

  /** Locks the clocks of tasks. Clocks that were locked before are read again. */
  async lock(taskIds: Iterable<string>): Promise<void> {
    const ids = [...new Set(taskIds)];
    const found = await lockClocksOf(this.tx, this.workflow.workspaceId, ids);
    for (const id of ids) this.clocks.set(id, new Map());
    for (const clock of found) this.clocks.get(clock.taskId)?.set(clock.clockId, clock);
    for (const { taskId, ...clock } of this.changed.values())
      if (ids.includes(taskId)) this.clocks.get(taskId)?.set(clock.clockId, clock);
  }

  async of(taskId: string): Promise<readonly StoredClock[]> {
    if (!this.clocks.has(taskId)) await this.lock([taskId]);
    return [...(this.clocks.get(taskId)?.values() ?? [])];
  }

  change(taskId: string, clocks: readonly NewClock[]): void {
    this.tasks.add(taskId);
    for (const clock of clocks) {
      this.clocks.get(taskId)?.set(clock.clockId, clock);
      this.changed.set(`${taskId} ${clock.clockId}`, { ...clock, taskId });
    }
  }

  /** Stores the changed clocks, and the due times on their tasks. */
  async write(): Promise<void> {
    const { workspaceId, id: workflowId } = this.workflow;
    await writeClocksOf(this.tx, { workspaceId, workflowId }, [...this.changed.values()]);
    await noteDue(this.tx, workspaceId, workflowId, [...this.tasks]);
    this.changed.clear();
    this.tasks.clear();
  }
}
