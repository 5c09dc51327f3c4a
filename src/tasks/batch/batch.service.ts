import { Inject, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { FairSemaphore } from '../../../packages/fair/semaphore.js';
import { CONFIG, type Config } from '../../config.js';
import { busy, Refusal } from '../../common/errors.js';
import { Bodies, requireType } from '../../common/http/bodies.js';
import { readLines, splitLines } from '../../common/ndjson.js';
import { type Reply } from '../../common/reply.js';
import { type Lines, linesReply, replyWithin } from '../../common/http/replies.js';
import { turn } from '../../../packages/fair/turn.js';
import {
  type BatchRow,
  lineOfOutcome,
  MAX_LINE_BYTES,
  type RowOutcome,
  rowsOfArray,
  rowsOfLines,
} from './batch-row.js';
import { ndjson } from './batch.dto.js';
import { type BatchOptions, BatchWriter } from './batch-writer.js';
import { lineOfRefusedSync, lineOfSync, NamedTasks, type SyncRequest } from './sync.js';
import { type Scope } from '../../workflows/model/scope.js';
import { say } from '../../common/message.js';

const types = ['application/json', ndjson];

@Injectable()
export class BatchesService {
  /** Each batch holds some megabytes of rows and answers, and may take long. */
  private readonly open = new FairSemaphore(8, busy('Too many batches are being written.'));

  constructor(
    private readonly writer: BatchWriter,
    @Inject(CONFIG) private readonly config: Config,
    private readonly bodies: Bodies,
  ) {}

  write(scope: Scope, request: Request, options: BatchOptions): Reply {
    refuseHeaders(request);
    return replyWithin((send) => {
      const work = (): Promise<void> =>
        this.open.use(scope, async () => send(linesReply(await this.begin(scope, request, options))));
      // A batch may take any time, provided that neither side stalls.
      return scope.deadline ? scope.deadline.except(work) : work();
    });
  }

  private async begin(scope: Scope, request: Request, options: BatchOptions): Promise<Lines> {
    const isLines = requireType(request, types) === ndjson;
    if (isLines && !options.isAtomic && !options.isDryRun)
      return { status: 200, lines: this.written(scope, this.rowsAsTheyCome(request), options.sync) };
    const body = await this.bodies.read(request, this.config.maxBodyBytes, types);
    const rows = await (isLines ? rowsOfLines(atMost(splitLines(body, MAX_ROWS)), 1) : rowsOfArray(body));
    if (!options.isAtomic && !options.isDryRun)
      return { status: 200, lines: this.written(scope, inParts(rows), options.sync) };
    const { outcomes, synced, isRefused } = await this.writer.allOf(scope, atMost(rows), options);
    if (!isRefused) return { status: 200, lines: textsOf(outcomes, synced) };
    return { status: 422, lines: textsOf(outcomes.filter(({ status }) => status === 'error')) };
  }

  /** Writes one part after the other. At the end of a sync, deletes the tasks that no row names. */
  private async *written(
    scope: Scope,
    parts: AsyncIterable<readonly BatchRow[]> | Iterable<readonly BatchRow[]>,
    sync: SyncRequest | undefined,
  ): AsyncGenerator<string> {
    const write = this.writer.eachOf(scope);
    const named = new NamedTasks();
    for await (const rows of parts) {
      const outcomes: RowOutcome[] = [];
      try {
        await write(rows, outcomes);
      } finally {
        yield* textsOf(outcomes);
      }
      if (sync) named.add(outcomes);
    }
    if (sync) yield await this.writer.sync(scope, sync, named).then(lineOfSync, lineOfRefusedSync);
  }

  private async *rowsAsTheyCome(request: Request): AsyncGenerator<BatchRow[]> {
    if (request.headers.expect !== undefined) request.res?.writeContinue();
    let next = 1;
    for await (const lines of readLines(bytesOf(request), MAX_LINE_BYTES)) {
      const rows = await rowsOfLines(lines, next);
      next += rows.length;
      yield rows;
    }
  }
}

/** The bytes of a body, read on demand; throws if the client leaves. */
async function* bytesOf(request: Request): AsyncGenerator<Buffer> {
  // If the caller stops early, the connection must stay open for the answer.
  const chunks = request.iterator({ destroyOnReturn: false });
  const { socket } = request;
  // If the answer ends before the body does, Node.js does not report the end of the request.
  const lose = (): void => void request.destroy();
  socket.once('close', lose);
  try {
    for await (const chunk of chunks) yield chunk;
  } finally {
    socket.off('close', lose);
  }
}

/** The rows; throws if they are too many for one transaction. */
function atMost<Row>(rows: readonly Row[]): readonly Row[] {
  if (rows.length <= MAX_ROWS) return rows;
  throw new Refusal('too-large', say`A batch of one transaction holds ${MAX_ROWS} rows at most.`);
}

const MAX_ROWS = 10_000;
/** Refuses headers that make sense for a single write only. */
export function refuseHeaders({ headers }: Request): void {
  for (const name of ['Idempotency-Key', 'If-Match', 'If-None-Match'])
    if (headers[name.toLowerCase()] !== undefined)
      throw new Refusal('malformed', say`A request for many tasks cannot have the header ${name}.`);
}

function* inParts(rows: readonly BatchRow[]): Generator<readonly BatchRow[]> {
  for (let at = 0; at < rows.length; at += PART_ROWS) yield rows.slice(at, at + PART_ROWS);
}

const PART_ROWS = 1000;

/** The lines of outcomes, in pieces that are quick to make: one row may have thousands of faults. */
async function* textsOf(outcomes: readonly RowOutcome[], last = ''): AsyncGenerator<string> {
  let text = '';
  for (const outcome of outcomes) {
    text += lineOfOutcome(outcome);
    if (text.length < PIECE_LENGTH) continue;
    yield text;
    text = '';
    await turn();
  }
  if (text + last !== '') yield text + last;
}

const PIECE_LENGTH = 2 ** 18;
