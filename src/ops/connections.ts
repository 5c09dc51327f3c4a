import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { type Duplex } from 'node:stream';
import { measureUnsent, MAX_UNSENT_BYTES } from '../lib/unsent-answers.js';

export interface ServerLimits extends ConnectionLimits {
  /** The limit of bytes that wait for slow clients, on all connections together. */
  readonly unsentBytes: number;
}

/** Long enough for any client that reads at all; an answer that its client does not read is dropped within a minute. */
export const serverLimits: ServerLimits = {
  stallMs: 30_000,
  lingerMs: 10_000,
  lingerBytes: 1_000_000,
  // Half of the limit at which other requests have to wait, so that they wait only for clients that read.
  unsentBytes: MAX_UNSENT_BYTES / 2,
};

const connections = new WeakMap<Duplex, Connection>();

/** Limits what the connections of a server may cost; its requests must pass `inTurn`. */
export function boundConnections(server: Server, limits: ServerLimits): void {
  const open = new Set<Connection>();
  server.on('connection', (socket: Socket) => {
    const connection = new Connection(socket, limits);
    connections.set(socket, connection);
    open.add(connection);
    socket.once('close', () => open.delete(connection));
  });
  const endMeasure = measureUnsent(() => unsentOn(open));
  const looking = setInterval(() => {
    for (const connection of open) connection.look();
    cutStuck(open, limits.unsentBytes);
  }, limits.stallMs / LOOKS_OF_STALL).unref();
  server.once('close', () => {
    clearInterval(looking);
    endMeasure();
  });
}

/** Holds a request until the earlier ones on its connection are answered. */
export function inTurn(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const connection = connections.get(request.socket);
  if (connection) connection.enter({ request, response }, next);
  else next();
}

/** The connection of a socket, if it is limited. */
export function connectionOf(socket: Duplex): Connection | undefined {
  return connections.get(socket);
}

/** If too many bytes wait, cuts connections that make no progress, those with the most bytes first. */
function cutStuck(open: Iterable<Connection>, most: number): void {
  let unsent = unsentOn(open);
  if (unsent <= most) return;
  const stuck = [...open].filter(({ isStuck }) => isStuck).sort((a, b) => b.unsent - a.unsent);
  for (const connection of stuck) {
    if (unsent <= most) return;
    unsent -= connection.unsent;
    connection.cut();
  }
}

function unsentOn(connections: Iterable<Connection>): number {
  let sum = 0;
  for (const { unsent } of connections) sum += unsent;
  return sum;
}

interface ConnectionLimits {
  /** A client that takes nothing of an answer for this long is cut off. */
  readonly stallMs: number;
  /** A connection that ends while its client still sends is read for so many milliseconds and bytes. */
  readonly lingerMs: number;
  readonly lingerBytes: number;
}

/** An entry in the queue of a connection: a request with its answer, or the answer to bytes that are no request. */
interface Turn {
  readonly exchange?: Exchange;
  begin: () => void;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Limits the cost of a connection, whatever its client does. Requests are answered one after the other: the next one
 * starts only after the last answer is out, and hardly any of it is parsed before. A client that takes nothing of an
 * answer is cut off; a client that is refused while it still sends can read why.
 */
export class Connection {
  private readonly turns: Turn[] = [];
  private readonly parser: (bytes: Buffer) => void;
  private readonly destroySoon: () => void;
  /** The first bytes of the request that is being parsed. */
  private start: Buffer = nothing;
  private isHeld = false;
  private isOver = false;
  private thrownAway = 0;
  /** The bytes of the current body that are still to come, if its length is known. */
  private bodyLeft = 0;
  private takenBefore = 0;
  private looksInVain = 0;
  /** Whether the client has left this answer waiting for long. */
  private hasLetWait = false;

  constructor(
    private readonly socket: Socket,
    private readonly limits: ConnectionLimits,
  ) {
    this.parser = takeParser(socket);
    socket.on('data', (chunk: Buffer) => {
      this.take(chunk);
    });
    // Node.js ends connections this way that are not kept alive.
    this.destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      this.end();
    };
  }

  /** Starts a request when all earlier ones are answered and the answers are out. */
  enter(exchange: Exchange, begin: () => void): void {
    exchange.response.on('close', () => {
      this.leave();
    });
    this.start = nothing;
    this.bodyLeft = Number(exchange.request.headers['content-length'] ?? 0);
    this.standInLine({ exchange, begin });
  }

  /** Handles bytes that are not HTTP: `answer` sends the error after the earlier answers. */
  fail(answer: (response: ServerResponse | undefined) => void): void {
    this.isOver = true;
    const last = this.turns.at(-1);
    if (last?.exchange?.request.complete === false) {
      const { response } = last.exchange;
      last.begin = () => {
        answer(response);
      };
      if (last === this.turns[0]) last.begin();
    } else
      this.standInLine({
        begin: () => {
          answer(undefined);
        },
      });
  }

  /** Sends the last answer of the connection; to HEAD, without a body. */
  endWith(head: string, body: string): void {
    this.socket.write(this.start.toString('latin1', 0, 5) === 'HEAD ' ? head : head + body);
    this.linger();
  }

  /** Whether any request is being answered or waits. */
  get isBusy(): boolean {
    return this.turns.length > 0;
  }

  /** The bytes of answers that wait for the client. */
  get unsent(): number {
    return this.socket.writableLength;
  }

  /** Whether the client had taken nothing at the last look. */
  get isStuck(): boolean {
    return this.looksInVain > 0;
  }

  /** Whether requests after the current one will be dropped. */
  get isLast(): boolean {
    return this.isOver || this.hasLetWait;
  }

  /**
   * Checks what the client has taken since the last look, and cuts it off after too many looks without progress.
   * Counts looks instead of time: while the process itself is blocked, no client can take anything.
   */
  look(): void {
    if (this.unsent === 0) {
      this.looksInVain = 0;
      return;
    }
    const taken = takenFrom(this.socket);
    this.looksInVain = taken === this.takenBefore ? this.looksInVain + 1 : 0;
    this.takenBefore = taken;
    if (this.looksInVain >= LOOKS_OF_WAITING) this.hasLetWait = true;
    if (this.looksInVain >= LOOKS_OF_STALL) this.cut();
  }

  cut(): void {
    this.socket.destroy();
  }

  private standInLine(turn: Turn): void {
    this.turns.push(turn);
    if (turn === this.turns[0]) turn.begin();
  }

  private leave(): void {
    this.turns.shift();
    this.start = nothing;
    if (!this.socket.writable) return;
    if (this.hasLetWait && (this.turns.length > 0 || this.isHeld)) {
      // Once other connections are cut, the system may accept an answer that its client does not read. Such a client
      // gets no further answers; it has to repeat the requests, as after any connection that ends.
      this.linger();
      return;
    }
    this.hasLetWait = false;
    this.turns[0]?.begin();
    if (!this.isHeld || !this.isWanted) return;
    this.isHeld = false;
    this.socket.resume();
  }

  /** Parses one request at a time: the parser would create objects for all requests of a chunk at once. */
  private take(chunk: Buffer): void {
    if (this.isOver) {
      this.throwAway(chunk);
      return;
    }
    let at = 0;
    while (at < chunk.length && this.isWanted) {
      const piece = chunk.subarray(at, this.endOfPiece(chunk, at));
      if (this.start.length === 0) this.start = piece;
      this.parser(piece);
      at += piece.length;
    }
    if (at < chunk.length) this.putBack(chunk.subarray(at));
  }

  /** The end of the head or body that is being parsed, or a point before which no second request can end. */
  private endOfPiece(chunk: Buffer, at: number): number {
    if (this.turns.at(-1)?.exchange?.request.complete === false) {
      const length = Math.min(chunk.length - at, this.bodyLeft || UNKNOWN_PIECE_BYTES);
      this.bodyLeft = Math.max(0, this.bodyLeft - length);
      return at + length;
    }
    // The end of a head may have begun in the previous chunk.
    if (at === 0 && this.start.length > 0) return Math.min(chunk.length, endOfHead.length - 1);
    const end = chunk.indexOf(endOfHead, Math.max(0, at - endOfHead.length + 1));
    return end < 0 ? chunk.length : end + endOfHead.length;
  }

  /** Whether the next bytes may be parsed: they belong to a new request, or to the one that is being answered. */
  private get isWanted(): boolean {
    const [first, second] = this.turns;
    return !this.isOver && second === undefined && first?.exchange?.request.complete !== true;
  }

  /** Puts bytes back into the socket's own buffer, which keeps it from reading more even if it is resumed. */
  private putBack(bytes: Buffer): void {
    this.socket.pause();
    stopReading(this.socket);
    this.socket.unshift(bytes);
    this.isHeld = true;
  }

  private end(): void {
    const isRead = this.socket.readableLength === 0 && this.turns[0]?.exchange?.request.complete !== false;
    if (isRead) this.destroySoon();
    else this.linger();
  }

  /**
   * Ends the connection as RFC 9112 §9.6 asks: sends the end, and reads on for a while. Closing while the client
   * still sends would reset the connection, and the client would lose the answer.
   */
  private linger(): void {
    const { socket, limits } = this;
    this.isOver = true;
    const timer = setTimeout(() => socket.destroy(), limits.lingerMs);
    socket.once('close', () => {
      clearTimeout(timer);
    });
    socket.end();
    socket.resume();
  }

  private throwAway({ length }: Buffer): void {
    this.thrownAway += length;
    if (this.thrownAway > this.limits.lingerBytes) this.socket.destroy();
  }
}

const nothing = Buffer.alloc(0);
const endOfHead = '\r\n\r\n';
/** Parsed at once of a body without a known length, so that few requests can follow it in one piece. */
const UNKNOWN_PIECE_BYTES = 1024;
/** After so many looks in a row without progress, a connection is stalled. */
const LOOKS_OF_STALL = 30;
/** After so many looks without progress, a client's further requests on this connection are dropped. */
const LOOKS_OF_WAITING = 10;

/** Stops reading at once: Node's `pause` would let one more chunk of 64 kB in. `resume` starts reading again. */
function stopReading(socket: Socket): void {
  const handle = handleOf(socket);
  if (Reflect.get(handle, 'reading') !== true) return;
  Reflect.set(handle, 'reading', false);
  const stop: unknown = Reflect.get(handle, 'readStop');
  if (typeof stop === 'function') Reflect.apply(stop, handle, []);
}

function handleOf(socket: Socket): object {
  const handle: unknown = Reflect.get(socket, '_handle');
  return typeof handle === 'object' && handle !== null ? handle : {};
}

/** The bytes that the system has accepted for the client. */
function takenFrom(socket: Socket): number {
  // Node.js counts whole writes only, which may be a megabyte each.
  const handle = handleOf(socket);
  const tell = (name: string): number => Number(Reflect.get(handle, name) ?? 0);
  return tell('bytesWritten') - tell('writeQueueSize');
}

/** Detaches Node's own reader, the only one of a new connection; returns the function that feeds it. */
function takeParser(socket: Socket): (bytes: Buffer) => void {
  const [read] = socket.listeners('data');
  if (!read) throw new Error('nobody reads this connection');
  socket.removeAllListeners('data');
  return (bytes) => void Reflect.apply(read, socket, [bytes]);
}
