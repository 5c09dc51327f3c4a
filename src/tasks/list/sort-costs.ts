import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Repeated } from '../../lib/poller.js';
import { Health } from '../../ops/health.js';
import { isKeptInOrder } from '../../task-store/kept-orders.js';
import { addSortCosts, type SortCost } from '../../task-store/sort-costs.repository.js';
import { type List } from './task-list.js';

/** Notes what lists cost that are sorted by one field without an index, and keeps it for plans once a minute. */
@Injectable()
export class SortCosts implements OnApplicationBootstrap, OnApplicationShutdown {
  private costs = new Map<string, SortCost & { readonly workspaceId: number }>();
  private readonly repeated = new Repeated(PAUSE_MS, () => this.keep());

  constructor(
    private readonly dataSource: DataSource,
    private readonly health: Health,
  ) {}

  onApplicationBootstrap(): void {
    this.repeated.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.repeated.stop();
    await this.keep();
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

  /** What cannot be kept is gone: it is a hint. */
  private async keep(): Promise<void> {
    const costs = [...this.costs.values()];
    this.costs = new Map();
    if (costs.length === 0) return;
    try {
      await addSortCosts(this.dataSource.manager, costs);
    } catch (error) {
      await this.health.postgres.logFailure(error, 'what sorted lists cost could not be kept');
    }
  }
}

const PAUSE_MS = 60_000;
/** Those of a minute: more are not noted. */
const MAX_FIELDS = 1000;
