import { type EntityManager } from 'typeorm';
import { TEXT_LENGTH, turn } from '../../../packages/fair/turn.js';
import { type FairSemaphore } from '../../../packages/fair/semaphore.js';
import { sortedIds } from '../store/whole-list.repository.js';
import { readTasks } from '../store/list.repository.js';
import { isByCreation } from '../store/order.sql.js';
import { loadTasks } from '../store/task.repository.js';
import { readLinkedOf } from '../store/linked-tasks.js';
import { hasValues, type ListedRow, type ListedTask } from '../store/task-row.js';
import { type UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { type List, readList } from './task-list.js';
import { isLong, jsonOf } from '../answer-task.js';
import { type Position } from '../../common/cursor.js';

export interface Chunk {
  readonly list: List;
  readonly rows: readonly ListedRow[];
  readonly more?: (() => Promise<Chunk>) | undefined;
}

interface ListPart {
  readonly list: List;
  readonly tasks: readonly ListedTask[];
}

const CHUNK_SIZE = 500;
/** If a chunk has too many linked tasks, `ListChunks` reads them again for this many tasks at a time. */
const LINKS_CHUNK_SIZE = 16;

/** Reads a list in chunks, each under the definition in force. Holds no connection between chunks. */
export class ListChunks {
  constructor(
    private readonly db: EntityManager,
    private readonly work: UnitOfWork,
    /** Limits how many chunks are read at a time. Does not limit `first`: its callers do, if necessary. */
    private readonly scans: FairSemaphore,
  ) {}

  async first(list: List): Promise<Chunk> {
    if (isByCreation(list.sort)) return this.readChunk(list, undefined);
    const ids = await sortedIds(this.db, list.scope.workflow, list);
    return this.loadEach(list, ids.matchAll(idsOfChunk));
  }

  /** Yields the tasks of this and all later chunks as JSON, joined by commas, in pieces of about 128 kB. */
  async *texts(first: Chunk): AsyncGenerator<string> {
    let comma = '';
    for await (const { list, tasks } of this.parts(first)) {
      let text = '';
      for (const task of tasks) {
        text += comma;
        comma = ',';
        const own = jsonOf(this.db, list.scope, list.shape, task);
        if (typeof own === 'string') text += own;
        else {
          yield text;
          text = '';
          yield* own;
        }
        if (text.length < TEXT_LENGTH) continue;
        yield text;
        text = '';
        await turn(list.scope);
      }
      if (text) yield text;
    }
  }

  /**
   * Yields the tasks of this chunk and of all later ones. A chunk is yielded in several parts if some of its
   * values or links must be read later.
   */
  async *parts(first: Chunk): AsyncGenerator<ListPart> {
    for (let chunk: Chunk | undefined = first; chunk; chunk = await this.next(chunk)) {
      let left = chunk;
      for (;;) {
        const { list, rows } = left;
        const end = rows.findIndex((row) => !hasValues(row));
        const tasks = (end < 0 ? rows : rows.slice(0, end)).filter(hasValues);
        yield* list.showsLinks ? this.linkedParts(list, tasks) : [{ list, tasks }];
        if (end < 0) break;
        const ids = rows.slice(end).map(({ id }) => id);
        left = await this.scans.use(list.scope, () => this.load(list, ids));
      }
    }
  }

  /**
   * Yields the tasks with their linked tasks. If the linked tasks of the chunk were too many or too large,
   * reads them again for a few tasks at a time. `linked` stays null if they are too many even then.
   */
  private async *linkedParts(list: List, tasks: readonly ListedTask[]): AsyncGenerator<ListPart> {
    const firstLong = tasks.findIndex(isLong);
    if (firstLong < 0) {
      yield { list, tasks };
      return;
    }
    yield { list, tasks: tasks.slice(0, firstLong) };
    for (let at = firstLong; at < tasks.length; at += LINKS_CHUNK_SIZE) {
      const some = tasks.slice(at, at + LINKS_CHUNK_SIZE);
      const ids = some.map(({ id }) => id);
      const linked = await this.scans.use(list.scope, () => readLinkedOf(this.db, list.scope, ids));
      yield { list, tasks: some.map((task) => ({ ...task, linked: linked.get(task.id) ?? null })) };
    }
  }

  private async next({ list, more }: Chunk): Promise<Chunk | undefined> {
    return more && this.scans.use(list.scope, more);
  }

  private async readChunk(known: List, after: Position | undefined): Promise<Chunk> {
    return this.withCurrent(known, async (list) => {
      const { rows, next } = await readTasks(this.db, list.scope, list, after, CHUNK_SIZE);
      return { list, rows, more: next && (() => this.readChunk(list, next)) };
    });
  }

  private async loadEach(list: List, lists: Iterator<RegExpExecArray>): Promise<Chunk> {
    const next = lists.next();
    if (next.done === true) return { list, rows: [] };
    const chunk = await this.load(list, next.value[0].split(',').filter(Boolean));
    return { ...chunk, more: () => this.loadEach(chunk.list, lists) };
  }

  private async load(known: List, ids: readonly string[]): Promise<Chunk> {
    return this.withCurrent(known, async (list) => {
      const rows = await loadTasks(this.db, list.scope, ids, list);
      return { list, rows };
    });
  }

  private async withCurrent(known: List, work: (list: List) => Promise<Chunk>): Promise<Chunk> {
    return this.work.read(known.scope, async (_, current) =>
      work(current === known.scope ? known : readList(current, known.request)),
    );
  }
}

const idsOfChunk = new RegExp(`(?:\\d+,?){1,${CHUNK_SIZE}}`, 'g');
