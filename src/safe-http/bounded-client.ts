import { type Socket } from 'node:net';
import { type Readable } from 'node:stream';
import { Client, type Dispatcher } from 'undici';
import { turn } from '../lib/turn.js';
import { type Doors, guardedConnector } from './connector.js';
import { OutboundFailure } from './failure.js';

/** How many informational answers (1xx) may come before an answer. */
const MAX_INFORMATIONAL = 16;
/** How many bytes of an answer may be no body (heads, frames of chunks, TLS); as many more as the body has are let pass. */
const MAX_OVERHEAD_BYTES = 65_536;
/** Milliseconds in a round of the event loop after which a connection that wants to read takes a turn. */
const BUSY_MS = 5;
/** How much is parsed at once. */
const MAX_READ_BYTES = 32_768;
/** How often a connection by TLS is checked: TLS takes in session tickets and the like without telling anybody. */
const CHECK_MS = 100;

/** One request with its answer, as the connection that carries it has to know it. */
export class Exchange {
  private informational = 0;
  private consumed = 0;
  private body: Readable | undefined;
  /** Ends the connection. */
  end: (reason: string) => void = () => undefined;

  constructor(
    readonly workspaceId: number,
    private readonly signal: AbortSignal,
  ) {}

  /** Whether nobody waits for more of it. */
  get isOver(): boolean {
    return this.signal.aborted || this.body?.destroyed === true;
  }

  /** Bytes of the body that have come so far. */
  get bodyBytes(): number {
    return this.consumed + (this.body?.readableLength ?? 0);
  }

  /** Counts an informational answer. */
  readonly countInformational = (): void => {
    this.informational += 1;
    if (this.informational > MAX_INFORMATIONAL)
      this.end(`the server sent more than ${MAX_INFORMATIONAL} informational answers`);
  };

  /** Counts the body; to be called as soon as it begins, and by whom it is read already: else it would flow to nobody. */
  count(body: Readable): void {
    this.body = body.on('data', (chunk: Buffer) => (this.consumed += chunk.length));
  }
}

/** What a request must be dispatched with. */
export interface Carried {
  readonly exchange: Exchange;
}

/** undici's client of one connection, which ends where the server sends too much that is no body. */
class BoundedClient extends Client {
  private socket: Socket | undefined;
  private wire: Socket | undefined;
  private exchange: Exchange | undefined;
  /** Bytes that had come, and those that had been sent, when the exchange began. */
  private before = { received: 0, sent: 0 };

  override dispatch(
    options: Dispatcher.DispatchOptions & Carried,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    this.exchange = options.exchange;
    this.exchange.end = (reason) => this.socket?.destroy(new OutboundFailure('invalid answer', reason));
    this.before = { received: this.received, sent: this.socket?.bytesWritten ?? 0 };
    return super.dispatch(options, handler);
  }

  /** Bounds what comes over a new connection, which is counted as it comes from the network: over `wire`. */
  bound(socket: Socket, wire: Socket): void {
    this.socket = socket;
    this.wire = wire;
    this.before = { received: this.received, sent: socket.bytesWritten };
    this.readInTurns(socket);
    // undici connects again only to find that a request was given up.
    setImmediate(() => {
      if (this.exchange?.isOver) socket.destroy();
    });
    if (socket === wire) return;
    const timer = setInterval(this.check, CHECK_MS).unref();
    socket.once('close', () => {
      clearInterval(timer);
    });
  }

  /** Bytes that have come and were read. */
  private get received(): number {
    return (this.wire?.bytesRead ?? 0) - (this.socket?.readableLength ?? 0);
  }

  private readonly check = (): void => {
    const bodyBytes = this.exchange?.bodyBytes ?? 0;
    if (this.received - this.before.received > MAX_OVERHEAD_BYTES + 2 * bodyBytes)
      this.exchange?.end(`the server sent more than ${MAX_OVERHEAD_BYTES} bytes beside the body`);
  };

  /** undici reads until nothing is left: parsing what came over many connections would hold the event loop. */
  private readInTurns(socket: Socket): void {
    const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
    let turns: 'none' | 'awaited' | 'given' = 'none';
    const takeTurn = async (): Promise<void> => {
      turns = 'awaited';
      await turn(this.exchange);
      turns = 'given';
      socket.emit('readable');
      turns = 'none';
    };
    socket.read = (size = Math.min(socket.readableLength, MAX_READ_BYTES) || undefined) => {
      this.check();
      // Before it sends a request undici reads whether anything came that nobody had asked for: that must not wait.
      const isAwaited = socket.bytesWritten > this.before.sent;
      if (turns === 'given' || !isAwaited || !isRoundUsed()) return read(size);
      if (turns === 'none') takeTurn().catch((error: unknown) => socket.destroy(error as Error));
      return null;
    };
  }
}

/** Opens one connection at a time, as its doors allow. */
export function boundedClient(origin: string | URL, doors: Doors): Client {
  const connect = guardedConnector(doors, (socket, wire) => {
    client.bound(socket, wire);
  });
  const client: BoundedClient = new BoundedClient(origin, {
    connect,
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 10_000,
    maxHeaderSize: 16_384,
    // The signal of each request is its time-out.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return client;
}

let roundBegan: number | undefined;

/** Whether the connections have read for long in this round of the event loop. */
function isRoundUsed(): boolean {
  if (roundBegan === undefined) {
    roundBegan = performance.now();
    setImmediate(() => (roundBegan = undefined));
  }
  return performance.now() - roundBegan > BUSY_MS;
}
