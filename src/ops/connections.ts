import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { type Duplex } from 'node:stream';
import { measureUnsent, MAX_UNSENT_BYTES } from '../lib/unsent-answers.js';

/** What the connections of a server may cost. */
export interface ServerLimits extends ConnectionLimits {
  /** So many bytes of answers may wait for clients that do not take them, on all connections together. */
  readonly unsentBytes: number;
}

/** Long enough for every client that reads at all; an answer that nobody reads is dropped within a minute. */
export const serverLimits: ServerLimits = {
  stallMs: 30_000,
  lingerMs: 10_000,
  lingerBytes: 1_000_000,
  // Half of what makes others wait, so that they wait only for clients that do read their answers.
  unsentBytes: MAX_UNSENT_BYTES / 2,
};

const connections = new WeakMap<Duplex, Connection>();

/** Bounds what the connections of a server may cost; its requests must pass `inTurn`. */
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

/** Makes a request wait until those before it on its connection are answered. */
export function inTurn(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const connection = connections.get(request.socket);
  if (connection) connection.enter({ request, response }, next);
  else next();
}

/** The connection that a socket is, of those that are bounded. */
export function connectionOf(socket: Duplex): Connection | undefined {
  return connections.get(socket);
}

/** Where more waits than may: cuts connections on which nothing moves, those with the most first. */
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

/** What one connection may cost. */
interface ConnectionLimits {
  /** A client that takes nothing of an answer for so many milliseconds is cut. */
  readonly stallMs: number;
  /** A connection that ends while its client still sends is read on for so many milliseconds and bytes. */
  readonly lingerMs: number;
  readonly lingerBytes: number;
}

/** What stands in line on a connection: a request and its answer, or the answer to what is no request. */
interface Turn {
  readonly exchange?: Exchange;
  begin: () => void;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * A connection that costs little, whatever its client does. Requests are answered one after the other: none is begun,
 * and hardly any is parsed, before the answer to the last one is out. Who takes nothing of an answer is cut; who is
 * refused while it still sends gets to read why.
 */
export class Connection {
  private readonly turns: Turn[] = [];
  private readonly parser: (bytes: Buffer) => void;
  private readonly destroySoon: () => void;
  /** What the request that is being parsed begins with. */
  private start: Buffer = nothing;
  private isHeld = false;
  private isOver = false;
  private thrownAway = 0;
  /** What of the body that is being parsed is still to come, where its length is known. */
  private bodyLeft = 0;
  private takenBefore = 0;
  private looksInVain = 0;
  /** Whether its client has let this answer wait for long. */
  private hasLetWait = false;

  constructor(
    private readonly socket: Socket,
    private readonly limits: ConnectionLimits,
  ) {
    this.parser = takeParser(socket);
    socket.on('data', (chunk: Buffer) => {
      this.take(chunk);
    });
    // Node ends a connection this way when it is not kept alive.
    this.destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      this.end();
    };
  }

  /** Begins with a request when all that came before it is answered, and the answers are out. */
  enter(exchange: Exchange, begin: () => void): void {
    exchange.response.on('close', () => {
      this.leave();
    });
    this.start = nothing;
    this.bodyLeft = Number(exchange.request.headers['content-length'] ?? 0);
    this.standInLine({ exchange, begin });
  }

  /** What has arrived is no HTTP. `answer` says so when the answers before it are out, by the response of a request if there is one. */
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

  /** Sends this as the last answer of the connection; without a body where only the head was asked for. */
  endWith(head: string, body: string): void {
    this.socket.write(this.start.toString('latin1', 0, 5) === 'HEAD ' ? head : head + body);
    this.linger();
  }

  /** Whether anything is being answered, or waits for that. */
  get isBusy(): boolean {
    return this.turns.length > 0;
  }

  /** How much of its answers waits to be taken by the client. */
  get unsent(): number {
    return this.socket.writableLength;
  }

  /** Whether its client had taken nothing of what waits when this was last looked at. */
  get isStuck(): boolean {
    return this.looksInVain > 0;
  }

  /** Whether what came after the request that is being answered will be thrown away. */
  get isLast(): boolean {
    return this.isOver || this.hasLetWait;
  }

  /**
   * Sees what the client has taken since the last look, and cuts it where that was nothing for too long. Looks are
   * counted, not time: while the process itself stands still nobody can take anything.
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
      // The system takes an answer over that nobody reads when it has room again, as after others were cut. Nothing more
      // is begun for such a client; it asks again, as for all that is not answered on a connection that ends.
      this.linger();
      return;
    }
    this.hasLetWait = false;
    this.turns[0]?.begin();
    if (!this.isHeld || !this.isWanted) return;
    this.isHeld = false;
    this.socket.resume();
  }

  /** Parses one request at a time, for all the requests in one chunk become objects at once. */
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

  /** Where the head or the body that is being parsed ends, or at least no second request can have ended. */
  private endOfPiece(chunk: Buffer, at: number): number {
    if (this.turns.at(-1)?.exchange?.request.complete === false) {
      const length = Math.min(chunk.length - at, this.bodyLeft || UNKNOWN_PIECE_BYTES);
      this.bodyLeft = Math.max(0, this.bodyLeft - length);
      return at + length;
    }
    // What ends a head may have begun in the chunk before.
    if (at === 0 && this.start.length > 0) return Math.min(chunk.length, endOfHead.length - 1);
    const end = chunk.indexOf(endOfHead, Math.max(0, at - endOfHead.length + 1));
    return end < 0 ? chunk.length : end + endOfHead.length;
  }

  /** Whether what comes next is awaited: a request, or the rest of the one that is being answered. */
  private get isWanted(): boolean {
    const [first, second] = this.turns;
    return !this.isOver && second === undefined && first?.exchange?.request.complete !== true;
  }

  /** Bytes that wait in the socket's own buffer keep it from reading more, whoever resumes it. */
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
   * As RFC 9112 §9.6 asks: says that this is all, and then reads on for a while. To close on what is still being sent
   * would reset the connection, and take the answer from the client.
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
/** What is parsed at once of a body that does not tell its length: few requests can stand behind its end. */
const UNKNOWN_PIECE_BYTES = 1024;
/** So many looks in a row, at which nothing was taken, make a stall. */
const LOOKS_OF_STALL = 30;
/** After this many answers a client that has sent further requests gets none on this connection. */
const LOOKS_OF_WAITING = 10;

/** Node's pause lets one more chunk of 64 kB in; to resume begins to read again. */
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

/** How many bytes the system has taken over from this process, on their way to the client. */
function takenFrom(socket: Socket): number {
  // Node tells what it has handed over only by whole writes, which may be a megabyte each.
  const handle = handleOf(socket);
  const tell = (name: string): number => Number(Reflect.get(handle, name) ?? 0);
  return tell('bytesWritten') - tell('writeQueueSize');
}

/** Takes Node's own reader, the only one that a new connection has, off the connection; says how to feed it. */
function takeParser(socket: Socket): (bytes: Buffer) => void {
  const [read] = socket.listeners('data');
  if (!read) throw new Error('nobody reads this connection');
  socket.removeAllListeners('data');
  return (bytes) => void Reflect.apply(read, socket, [bytes]);
}
