import { type EntityManager } from 'typeorm';
import { chunkLength, turn } from '../../lib/turn.js';
import { type FairSemaphore } from '../../lib/semaphore.js';
import { listByCreation, sortedIds } from '../../task-store/list.repository.js';
import { loadTasks } from '../../task-store/task.repository.js';
import { readLinkedOf } from '../../task-store/linked-tasks.js';
import { hasValues, type ListedRow, type TaskRow } from '../../task-store/task-row.js';
import { serializeTask } from '../../schema/serialize-task.js';
import { type UnitOfWork } from '../../workspace/unit-of-work.js';
import { type List, readList } from './task-list.js';
import { isLong, longText } from './task-text.js';

/** Some tasks of a list, and how to read those behind them. */
export interface Batch {
  readonly list: List;
  readonly rows: readonly ListedRow[];
  readonly more?: (() => Promise<Batch>) | undefined;
}

const BATCH_SIZE = 500;
/** For so many tasks at once the links are read again. */
const LINKS_BATCH_SIZE = 16;

/** Complete lists, read batch by batch: each by the definition in force, and no connection is held between them. */
export class Batches {
  constructor(
    private readonly db: EntityManager,
    private readonly work: UnitOfWork,
    /** Each batch takes a permit, but for the first: its caller holds one. */
    private readonly scans: FairSemaphore,
  ) {}

  /** The first tasks of a complete list. */
  async first(list: List): Promise<Batch> {
    if (list.isByCreation) return this.chunk(list, undefined, false);
    const ids = await sortedIds(this.db, list.workflow, list);
    return this.loadEach(list, ids.matchAll(idsOfBatch));
  }

  /** The tasks of a batch and of all behind it with commas between them, as texts of about 64 kB. */
  async *chunks(first: Batch): AsyncGenerator<string> {
    const before = { comma: '' };
    for (let batch: Batch | undefined = first; batch; batch = await this.next(batch))
      yield* this.chunksOf(batch, before);
  }

  /** The tasks of a batch and of all behind it, whole but for links that are too many to be held. */
  async *tasks(first: Batch): AsyncGenerator<{ readonly list: List; readonly task: TaskRow }> {
    for (let batch: Batch | undefined = first; batch; batch = await this.next(batch)) {
      const { list, rows } = batch;
      for (const row of rows) {
        const [task] = hasValues(row) ? [row] : (await this.loadLeft(list, [row.id])).rows.filter(hasValues);
        if (task) yield { list, task };
      }
    }
  }

  /** The texts of one batch; values are read some at a time and let go of once they are sent. */
  private async *chunksOf(first: Batch, before: { comma: string }): AsyncGenerator<string> {
    for (let batch = first; ;) {
      yield* this.chunksOfRead(batch, before);
      const left = batch.rows.filter((row) => !hasValues(row)).map(({ id }) => id);
      if (left.length === 0) return;
      batch = await this.loadLeft(batch.list, left);
    }
  }

  /** The texts of those tasks whose values are read; `before` holds what separates the next one from the last. */
  private async *chunksOfRead({ list, rows }: Batch, before: { comma: string }): AsyncGenerator<string> {
    const kept = rows.filter(hasValues);
    let chunk = '';
    for (let at = 0; at < kept.length; at += 1) {
      if (list.showsLinks && isLong(kept[at]))
        kept.splice(at, LINKS_BATCH_SIZE, ...(await this.withLinks(list, kept, at)));
      const row = kept[at];
      if (!row) break;
      chunk += before.comma;
      before.comma = ',';
      if (list.showsLinks && isLong(row)) {
        yield chunk;
        chunk = '';
        yield* longText(this.db, list.workflow, list.shape, row);
        continue;
      }
      chunk += serializeTask(list.shape, row);
      if (chunk.length < chunkLength) continue;
      yield chunk;
      chunk = '';
      await turn(list.workflow);
    }
    if (chunk) yield chunk;
  }

  /** Reads the links of some tasks from this place on that were left out because there were too many. */
  private async withLinks(list: List, rows: readonly TaskRow[], at: number): Promise<TaskRow[]> {
    const some = rows.slice(at, at + LINKS_BATCH_SIZE);
    const ids = some.map(({ id }) => id);
    const linked = await this.scans.use(list.workflow, () => readLinkedOf(this.db, list.workflow, ids));
    return some.map((row) => ({ ...row, linked: linked.get(row.id) ?? null }));
  }

  private async next({ list, more }: Batch): Promise<Batch | undefined> {
    return more && this.scans.use(list.workflow, more);
  }

  private async loadLeft(list: List, ids: readonly string[]): Promise<Batch> {
    return this.scans.use(list.workflow, () => this.load(list, ids));
  }

  private async chunk(known: List, after: string | undefined, isOrderedScan: boolean): Promise<Batch> {
    return this.withCurrent(known, async (list) => {
      const chunk = { ...list, after, limit: BATCH_SIZE, isOrderedScan };
      const { rows, next, ...found } = await listByCreation(this.db, list.workflow, chunk);
      const more = next === undefined ? undefined : () => this.chunk(list, next, found.isOrderedScan);
      return { list, rows, more };
    });
  }

  private async loadEach(list: List, lists: Iterator<RegExpExecArray>): Promise<Batch> {
    const next = lists.next();
    if (next.done === true) return { list, rows: [] };
    const batch = await this.load(list, next.value[0].split(',').filter(Boolean));
    return { ...batch, more: () => this.loadEach(batch.list, lists) };
  }

  private async load(known: List, ids: readonly string[]): Promise<Batch> {
    return this.withCurrent(known, async (list) => ({
      list,
      rows: await loadTasks(this.db, list.workflow, ids, list),
    }));
  }

  private async withCurrent(known: List, work: (list: List) => Promise<Batch>): Promise<Batch> {
    return this.work.read(known.workflow, async (_, current) =>
      work(current === known.workflow ? known : readList(current, known.request)),
    );
  }
}

const idsOfBatch = new RegExp(`(?:\\d+,?){1,${BATCH_SIZE}}`, 'g');
