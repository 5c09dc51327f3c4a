import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Health } from '../../ops/health.js';
import { isKeptInOrder } from '../../task-store/kept-orders.js';
import { addSortCosts, type SortCost } from '../../task-store/sort-costs.repository.js';
import { type List } from './task-list.js';

/** Notes what lists cost that are sorted by one field without an index. */
@Injectable()
export class SortCosts implements OnApplicationShutdown {
  private costs = new Map<string, SortCost & { readonly workspaceId: number }>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly health: Health,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.keep().catch((error: unknown) =>
      this.health.postgres.logFailure(error, 'what sorted lists cost could not be kept'),
    );
  }

  note({ workflow, sort }: List, milliseconds: number): void {
    const [key] = sort;
    if (key?.subject.of !== 'field' || sort.length > 1 || isKeptInOrder(sort)) return;
    const [place, fieldId] = [{ workspaceId: workflow.workspaceId, workflowId: workflow.id }, key.subject.id];
    const name = `${workflow.id} ${fieldId}`;
    const { lists, seconds } = this.costs.get(name) ?? { lists: 0, seconds: 0 };
    if (lists === 0 && this.costs.size === MAX_FIELDS) return;
    this.costs.set(name, { ...place, fieldId, lists: lists + 1, seconds: seconds + milliseconds / 1000 });
  }

  /** Keeps for plans what was noted; what cannot be kept is lost: it is a hint. */
  async keep(): Promise<void> {
    const costs = [...this.costs.values()];
    this.costs = new Map();
    if (costs.length > 0) await addSortCosts(this.dataSource.manager, costs);
  }
}

/** Between two times that they are kept: more are not noted. */
const MAX_FIELDS = 1000;
