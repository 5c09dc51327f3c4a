import { busy } from '../../common/errors.js';
import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../config.js';
import { FairSemaphore } from '../../../packages/fair/semaphore.js';
import { type Condition, isComparison } from '../../workflows/fields/condition.js';
import { type SortKey } from '../../workflows/fields/list-query.js';
import { keyIndexOf } from '../store/list.repository.js';
import { isByCreation } from '../store/order.sql.js';
import { countByStage, countTasks, MAX_COUNT, MAX_IN_STAGE } from '../store/whole-list.repository.js';
import { loadTasks } from '../store/task.repository.js';
import { hasValues, hasVersion, type ListedRow, type TaskRow } from '../store/task-row.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { SCANS } from '../../workflows/model/workspace.module.js';
import { UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { type Chunk, ListChunks } from './list-stream.js';
import { csvOf } from './export-tasks.js';
import { pageAddress } from '../../common/http/paged-list.js';
import { csvReply, listReply, replyWithin, type TaskList } from '../../common/http/replies.js';
import { type Reply } from '../../common/reply.js';
import { isScan, type List, type ListRequest, readList, readPage } from './task-list.js';
import { type Scope } from '../../workflows/model/scope.js';

@Injectable()
export class TaskLists {
  /** Limits the open lists: each holds some tasks in memory, and a slow client may read it for long. */
  private readonly open = new FairSemaphore(100, busy('Too many lists are being read.'));

  /**
   * Limits CSV tables to one chunk at a time; `scans` limits the first chunk of each table. Chunks wait up to
   * 60 s, because an incomplete table is useless.
   */
  private readonly tables = new FairSemaphore(1, busy('Too many tables are being read.'), {
    waitTimeoutMs: 60_000,
  });

  constructor(
    private readonly work: UnitOfWork,
    @Inject(SCANS) private readonly scans: FairSemaphore,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  list(scope: Scope, request: ListRequest): Reply {
    return replyWithin((send) =>
      this.open.use(scope, async () => send(listReply(await this.read(scope, request)))),
    );
  }

  table(scope: Scope, query: URLSearchParams, filename: string): Reply {
    return replyWithin((send) =>
      this.open.use(scope, async () => send(csvReply(filename, await this.readTable(scope, query)))),
    );
  }

  /** Reads a page of a list for display. If the values are very long, some of them are left out. */
  async page(scope: Scope, query: URLSearchParams, limit: number): Promise<FoundTasks> {
    return this.work.read(scope, async (db, current) => {
      const list = readList(current, requestOf(query));
      const read = async (): Promise<FoundTasks> => {
        const { rows, cursor } = await readPage(db, { ...list, showsVersion: true }, limit);
        const tasks = await withValues(db, list, rows);
        const total = list.isCounted
          ? countUpTo(MAX_COUNT, await countTasks(db, current.workflow, list.conditions, MAX_COUNT + 1))
          : undefined;
        return { workflow: current.workflow, tasks, cursor, total };
      };
      return isScan(list) ? this.scans.use(current, read) : read();
    });
  }

  /** Counts the tasks of the list by the id of their stage; empty stages are absent. */
  async countByStage(scope: Scope, query: URLSearchParams): Promise<ReadonlyMap<number, TaskCount>> {
    return this.work.read(scope, async (db, current) => {
      const { conditions } = readList(current, requestOf(query));
      const counts = await this.scans.use(current, () => countByStage(db, current.workflow, conditions));
      return new Map(Array.from(counts, ([id, count]) => [id, countUpTo(MAX_IN_STAGE, count)]));
    });
  }

  private async readTable(scope: Scope, query: URLSearchParams): Promise<AsyncGenerator<string>> {
    return this.work.read(scope, async (db, current) => {
      const list = readList(current, requestOf(query));
      const chunks = new ListChunks(db, this.work, this.tables);
      const first = await this.scans.use(current, () => chunks.first(list));
      // The byte order mark tells spreadsheets that the file is UTF-8.
      return csvOf(db, chunks, first, '\ufeff');
    });
  }

  /** Reads the beginning of a list. The rest is read while the caller consumes `texts`. */
  async read(scope: Scope, request: ListRequest): Promise<TaskList> {
    return this.work.read(scope, async (db, current) => {
      const list = readList(current, request);
      const chunks = new ListChunks(db, this.work, this.scans);
      const read = (): Promise<Beginning> => readBeginning(db, list, chunks);
      const { first, cursor, total } = await (isScan(list) ? this.scans.use(current, read) : read());
      const next = cursor === undefined ? undefined : pageAddress(this.config, request, cursor);
      return { texts: chunks.texts(first), total, next, withoutIndex: withoutIndex(list) };
    });
  }
}

/** Returns a request without an address, for answers without links to other pages. */
const requestOf = (query: URLSearchParams): ListRequest => ({ origin: '', path: '', query, isActive: false });

/** Loads the values that were too long for the page, up to 2 MB in total. */
async function withValues(db: EntityManager, list: List, rows: readonly ListedRow[]): Promise<TaskRow[]> {
  const left = rows.flatMap((row) => (hasValues(row) ? [] : row.id));
  const loaded = left.length === 0 ? [] : await loadTasks(db, list.scope, left, list);
  const long = new Map(loaded.map((row) => [row.id, row]));
  return rows
    .map((row) => {
      const task = long.get(row.id) ?? row;
      return { ...task, fieldValues: task.fieldValues ?? {} };
    })
    .filter(hasVersion);
}

export interface FoundTasks {
  readonly workflow: Workflow;
  readonly tasks: readonly TaskRow[];
  readonly cursor: string | undefined;
  readonly total: TaskCount | undefined;
}

/** A number of tasks. If `isMore` is true, there are more tasks, but counting stopped at a limit. */
export interface TaskCount {
  readonly count: number;
  readonly isMore: boolean;
}

const countUpTo = (limit: number, count: number): TaskCount => ({
  count: Math.min(count, limit),
  isMore: count > limit,
});

/** Returns what PostgreSQL must do without an index: sort the list, or find a range of a field's values. */
function withoutIndex({ sort, conditions }: List): ('sort' | 'filter')[] {
  return [
    ...(hasIndex(sort) ? [] : ['sort' as const]),
    ...(conditions.some(isRangeWithoutIndex) ? ['filter' as const] : []),
  ];
}

function hasIndex(sort: readonly SortKey[]): boolean {
  const isByChange = sort.length === 1 && sort[0]?.subject.of === 'updated';
  return isByCreation(sort) || isByChange || keyIndexOf(sort) !== undefined;
}

function isRangeWithoutIndex(condition: Condition): boolean {
  return isComparison(condition) && condition.subject.of === 'field' && condition.index === undefined;
}

/** The first chunk of a list, and the data for its response headers. */
interface Beginning {
  readonly first: Chunk;
  readonly cursor?: string | undefined;
  readonly total: number | undefined;
}

async function readBeginning(db: EntityManager, list: List, chunks: ListChunks): Promise<Beginning> {
  const total = list.isCounted ? await countTasks(db, list.scope.workflow, list.conditions) : undefined;
  if (list.limit === undefined) return { first: await chunks.first(list), total };
  const { rows, cursor } = await readPage(db, list, list.limit);
  return { first: { list, rows }, cursor, total };
}
