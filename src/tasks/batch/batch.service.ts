import { Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { FairSemaphore } from '../../../packages/fair/semaphore.js';
import { busy, Refusal } from '../../common/errors.js';
import { requireType } from '../../common/http/bodies.js';
import { isBlankByte, readLines } from '../../common/ndjson.js';
import { type Reply } from '../../common/reply.js';
import { linesReply, replyWithin } from '../../common/http/replies.js';
import { turn } from '../../../packages/fair/turn.js';
import { lineOfOutcome, MAX_LINE_BYTES, type RowOutcome, rowsOfLines } from './batch-row.js';
import { ndjson } from './batch.dto.js';
import { BatchWriter } from './batch-writer.js';
import { type Scope } from '../../workflows/model/scope.js';
import { say } from '../../common/message.js';

@Injectable()
export class BatchesService {
  /** Limits the open batches, because each holds some megabytes of rows and answers. */
  private readonly open = new FairSemaphore(8, busy('Too many batches are being written.'));

  constructor(private readonly writer: BatchWriter) {}

  write(scope: Scope, request: Request): Reply {
    refuseHeaders(request);
    requireType(request, ['application/json', ndjson]);
    return replyWithin((send) => {
      const work = (): Promise<void> =>
        this.open.use(scope, async () => send(linesReply(this.written(scope, request))));
      // The duration of a batch does not count towards the deadline; only stalled connections are closed.
      return scope.deadline ? scope.deadline.except(work) : work();
    });
  }

  /** Reads and writes the rows part by part; yields the lines of the answer. */
  private async *written(scope: Scope, request: Request): AsyncGenerator<string> {
    if (request.headers.expect !== undefined) request.res?.writeContinue();
    const write = this.writer.eachOf(scope);
    let next = 1;
    for await (const lines of readLines(bytesOf(request), MAX_LINE_BYTES)) {
      const rows = await rowsOfLines(lines, next);
      next += rows.length;
      const outcomes: RowOutcome[] = [];
      try {
        await write(rows, outcomes);
      } finally {
        yield* textsOf(outcomes);
      }
    }
  }
}

/** Yields the bytes of a body on demand. Refuses a JSON array. Throws if the client disconnects. */
async function* bytesOf(request: Request): AsyncGenerator<Buffer> {
  // If the caller stops early, the connection must stay open for the answer.
  const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  const { socket } = request;
  // If the answer ends before the body, Node.js does not abort the request when the connection closes.
  const lose = (): void => void request.destroy();
  socket.once('close', lose);
  try {
    let first: number | undefined;
    for await (const chunk of chunks) {
      first ??= chunk.find((byte) => !isBlankByte(byte) && !BYTE_ORDER_MARK.includes(byte));
      if (first === BRACKET)
        throw new Refusal('malformed', 'Send one JSON object per line (NDJSON), not an array.');
      yield chunk;
    }
  } finally {
    socket.off('close', lose);
  }
}

/** The bytes of `[`, and of the byte order mark that may precede the first row. */
const BRACKET = 0x5b;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Refuses headers that apply only to a single write. */
function refuseHeaders({ headers }: Request): void {
  for (const name of ['Idempotency-Key', 'If-Match', 'If-None-Match'])
    if (headers[name.toLowerCase()] !== undefined)
      throw new Refusal('malformed', say`A request for many tasks cannot have the header ${name}.`);
}

/** Serializes outcomes in small pieces, because one row may have thousands of errors. */
async function* textsOf(outcomes: readonly RowOutcome[]): AsyncGenerator<string> {
  let text = '';
  for (const outcome of outcomes) {
    text += lineOfOutcome(outcome);
    if (text.length < PIECE_LENGTH) continue;
    yield text;
    text = '';
    await turn();
  }
  if (text !== '') yield text;
}

const PIECE_LENGTH = 2 ** 18;
