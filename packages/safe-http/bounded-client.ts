import { type Socket } from 'node:net';
import { type Readable } from 'node:stream';
import { Client, type Dispatcher } from 'undici';
import { turn } from '../fair/turn.js';
import { type Doors, guardedConnector } from './connector.js';
import { OutboundFailure } from './failure.js';

/** The most informational answers (1xx) before an answer. */
const MAX_INFORMATIONAL = 16;
/**
 * The most bytes of an answer beyond its body: heads, chunk framing, TLS. The size of the body is allowed in
 * addition.
 */
const MAX_OVERHEAD_BYTES = 65_536;
/** Milliseconds per round of the event loop in which all connections may read; beyond these, they take turns. */
const BUSY_MS = 5;
/** The most bytes that are parsed at once. */
const MAX_READ_BYTES = 32_768;
/** Milliseconds between checks of a TLS connection, because no event reports session tickets and new handshakes. */
const CHECK_MS = 100;

/** The state of a request and its answer that its connection needs. */
export class Exchange {
  private informational = 0;
  private consumed = 0;
  private body: Readable | undefined;
  /** Ends the connection of the exchange. */
  end: (reason: string) => void = () => undefined;

  constructor(
    readonly workspaceId: number,
    private readonly signal: AbortSignal,
  ) {}

  /** Whether the request was aborted, or its answer is no longer read. */
  get isOver(): boolean {
    return this.signal.aborted || this.body?.destroyed === true;
  }

  /** The bytes of the body so far. */
  get bodyBytes(): number {
    return this.consumed + (this.body?.readableLength ?? 0);
  }

  /** Counts an informational answer. */
  readonly countInformational = (): void => {
    this.informational += 1;
    if (this.informational > MAX_INFORMATIONAL)
      this.end(`the server sent more than ${MAX_INFORMATIONAL} informational answers`);
  };

  /** Counts the body from its beginning. It must already have a reader: this listener alone would discard the data. */
  count(body: Readable): void {
    this.body = body.on('data', (chunk: Buffer) => (this.consumed += chunk.length));
  }
}

/** The options for dispatching a request. */
export interface Carried {
  readonly exchange: Exchange;
}

/** A client with one connection, which ends if the server sends too much beyond the body. */
class BoundedClient extends Client {
  private socket: Socket | undefined;
  private wire: Socket | undefined;
  private exchange: Exchange | undefined;
  /** The bytes received and sent when the exchange began. */
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

  /** Limits what a new connection may receive. Counts bytes on `wire`, below TLS. */
  bound(socket: Socket, wire: Socket): void {
    this.socket = socket;
    this.wire = wire;
    this.before = { received: this.received, sent: socket.bytesWritten };
    this.readInTurns(socket);
    // After an aborted request, undici connects again, and only then drops the request.
    setImmediate(() => {
      if (this.exchange?.isOver) socket.destroy();
    });
    if (socket === wire) return;
    const timer = setInterval(this.check, CHECK_MS).unref();
    socket.once('close', () => {
      clearInterval(timer);
    });
  }

  /** The bytes that undici has received and read. */
  private get received(): number {
    return (this.wire?.bytesRead ?? 0) - (this.socket?.readableLength ?? 0);
  }

  private readonly check = (): void => {
    const bodyBytes = this.exchange?.bodyBytes ?? 0;
    if (this.received - this.before.received > MAX_OVERHEAD_BYTES + 2 * bodyBytes)
      this.exchange?.end(`the server sent more than ${MAX_OVERHEAD_BYTES} bytes beside the body`);
  };

  /** Otherwise undici parses everything that has arrived on all connections in one round of the event loop. */
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
      // Before it sends a request, undici checks for unexpected bytes. That read must not wait.
      const isAwaited = socket.bytesWritten > this.before.sent;
      if (turns === 'given' || !isAwaited || !isRoundUsed()) return read(size);
      if (turns === 'none') takeTurn().catch((error: unknown) => socket.destroy(error as Error));
      return null;
    };
  }
}

/** A client that connects through these doors. */
export function boundedClient(origin: string | URL, doors: Doors): Client {
  const connect = guardedConnector(doors, (socket, wire) => {
    client.bound(socket, wire);
  });
  const client: BoundedClient = new BoundedClient(origin, {
    connect,
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 10_000,
    maxHeaderSize: 16_384,
    // Each request's signal is its time-out.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return client;
}

let roundBegan: number | undefined;

/** Whether the connections have used up their time in this round of the event loop. */
function isRoundUsed(): boolean {
  if (roundBegan === undefined) {
    roundBegan = performance.now();
    setImmediate(() => (roundBegan = undefined));
  }
  return performance.now() - roundBegan > BUSY_MS;
}
