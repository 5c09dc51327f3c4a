import { type EntityManager } from 'typeorm';
import { TEXT_LENGTH, turn } from '../../../packages/fair/turn.js';
import { type FairSemaphore } from '../../../packages/fair/semaphore.js';
import { sortedIds } from '../store/whole-list.repository.js';
import { readTasks } from '../store/list.repository.js';
import { isByCreation } from '../store/order.sql.js';
import { loadTasks } from '../store/task.repository.js';
import { readLinkedOf } from '../store/linked-tasks.js';
import { hasValues, type ListedRow, type ListedTask } from '../store/task-row.js';
import { serializeTask } from '../../workflows/fields/serialize-task.js';
import { type UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { type List, readList } from './task-list.js';
import { isLong, longTaskText } from '../answer-task.js';
import { type Position } from '../../common/cursor.js';

export interface Chunk {
  readonly list: List;
  readonly rows: readonly ListedRow[];
  readonly more?: (() => Promise<Chunk>) | undefined;
}

const CHUNK_SIZE = 500;
/** For how many tasks links are read again at once. */
const LINKS_CHUNK_SIZE = 16;

/** Each chunk is read under the definition in force, and no connection is held between chunks. */
export class ListChunks {
  constructor(
    private readonly db: EntityManager,
    private readonly work: UnitOfWork,
    /** Each chunk takes a permit, except the first: its caller has one already. */
    private readonly scans: FairSemaphore,
  ) {}

  async first(list: List): Promise<Chunk> {
    if (isByCreation(list.sort)) return this.readChunk(list, undefined);
    const ids = await sortedIds(this.db, list.scope.workflow, list);
    return this.loadEach(list, ids.matchAll(idsOfChunk));
  }

  /** The tasks of a chunk and of all later ones, separated by commas, in texts of about 128 kB. */
  async *texts(first: Chunk): AsyncGenerator<string> {
    const before = { comma: '' };
    for (let chunk: Chunk | undefined = first; chunk; chunk = await this.next(chunk))
      yield* this.textsOf(chunk, before);
  }

  /** The tasks of a chunk and of all later ones. Links that are too many for memory are left out. */
  async *tasks(first: Chunk): AsyncGenerator<{ readonly list: List; readonly task: ListedTask }> {
    for (let chunk: Chunk | undefined = first; chunk; chunk = await this.next(chunk)) {
      const { list, rows } = chunk;
      for (const row of rows) {
        const [task] = hasValues(row) ? [row] : (await this.loadLeft(list, [row.id])).rows.filter(hasValues);
        if (task) yield { list, task };
      }
    }
  }

  /** The texts of one chunk. Values are read in parts, and each part is dropped once it is sent. */
  private async *textsOf(first: Chunk, before: { comma: string }): AsyncGenerator<string> {
    for (let chunk = first; ;) {
      const { list, rows } = chunk;
      const end = rows.findIndex((row) => !hasValues(row));
      yield* this.textsOfRead(end < 0 ? chunk : { list, rows: rows.slice(0, end) }, before);
      if (end < 0) return;
      chunk = await this.loadLeft(list, rows.slice(end).map(({ id }) => id)); // prettier-ignore
    }
  }

  /** The texts of tasks whose values are read; `before` holds the separator for the next text. */
  private async *textsOfRead({ list, rows }: Chunk, before: { comma: string }): AsyncGenerator<string> {
    const kept = rows.filter(hasValues);
    let text = '';
    for (let at = 0; at < kept.length; at += 1) {
      if (list.showsLinks && isLong(kept[at]))
        kept.splice(at, LINKS_CHUNK_SIZE, ...(await this.withLinks(list, kept, at)));
      const row = kept[at];
      if (!row) break;
      text += before.comma;
      before.comma = ',';
      if (list.showsLinks && isLong(row)) {
        yield text;
        text = '';
        yield* longTaskText(this.db, list.scope, list.shape, row);
        continue;
      }
      text += serializeTask(list.shape, row);
      if (text.length < TEXT_LENGTH) continue;
      yield text;
      text = '';
      await turn(list.scope);
    }
    if (text) yield text;
  }

  /** Reads the links of some tasks from this position on, if they were left out because they were too many. */
  private async withLinks(list: List, rows: readonly ListedTask[], at: number): Promise<ListedTask[]> {
    const some = rows.slice(at, at + LINKS_CHUNK_SIZE);
    const ids = some.map(({ id }) => id);
    const linked = await this.scans.use(list.scope, () => readLinkedOf(this.db, list.scope, ids));
    return some.map((row) => ({ ...row, linked: linked.get(row.id) ?? null }));
  }

  private async next({ list, more }: Chunk): Promise<Chunk | undefined> {
    return more && this.scans.use(list.scope, more);
  }

  private async loadLeft(list: List, ids: readonly string[]): Promise<Chunk> {
    return this.scans.use(list.scope, () => this.load(list, ids));
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
    return this.withCurrent(known, async (list) => ({
      list,
      rows: await loadTasks(this.db, list.scope, ids, list),
    }));
  }

  private async withCurrent(known: List, work: (list: List) => Promise<Chunk>): Promise<Chunk> {
    return this.work.read(known.scope, async (_, current) =>
      work(current === known.scope ? known : readList(current, known.request)),
    );
  }
}

const idsOfChunk = new RegExp(`(?:\\d+,?){1,${CHUNK_SIZE}}`, 'g');
