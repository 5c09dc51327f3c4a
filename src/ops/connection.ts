import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';

/** What one connection may cost. */
export interface ConnectionLimits {
  /** A client that takes nothing of an answer is cut after three times so many milliseconds. */
  readonly restMs: number;
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
  private unsentBefore = 0;
  private rests = 0;
  private restedAt = -Infinity;

  constructor(
    private readonly socket: Socket,
    private readonly limits: ConnectionLimits,
  ) {
    this.parser = takeParser(socket);
    socket.on('data', (chunk: Buffer) => {
      this.take(chunk);
    });
    // Node ends so what shall not be kept.
    this.destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      this.end();
    };
  }

  /** Begins with a request when all that came before it is answered, and the answers are out. */
  enter(exchange: Exchange, begin: () => void): void {
    exchange.response.once('close', () => {
      this.leave();
    });
    this.start = nothing;
    this.standInLine({ exchange, begin });
  }

  /** What has come now is no HTTP. When it is its turn `answer` says so, by the response of a request if it has one. */
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

  /** Sends this as the last thing; its body is for nobody who asked for the head. */
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

  /** Whether it waits as it did when this was last asked. */
  isStuck(): boolean {
    const before = this.unsentBefore;
    this.unsentBefore = this.unsent;
    return before > 0 && before === this.unsent;
  }

  cut(): void {
    this.socket.destroy();
  }

  /** Nothing has moved for `restMs`: hears it again and again until something does. */
  rest(): void {
    const { socket, limits } = this;
    // A kept connection that nobody uses.
    if (socket.timeout !== limits.restMs) return void socket.destroy();
    const now = performance.now();
    // What moves in between puts the next time off. Where nothing waits to be sent it is we who are at work.
    const isFirst = now - this.restedAt > 1.5 * limits.restMs;
    this.rests = socket.writableLength === 0 ? 0 : isFirst ? 1 : this.rests + 1;
    this.restedAt = now;
    if (this.rests >= 3) socket.destroy();
    else socket.setTimeout(limits.restMs);
  }

  private standInLine(turn: Turn): void {
    this.turns.push(turn);
    if (turn === this.turns[0]) turn.begin();
  }

  private leave(): void {
    this.turns.shift();
    this.start = nothing;
    if (!this.socket.writable) return;
    this.turns[0]?.begin();
    if (!this.isHeld || !this.isWanted) return;
    this.isHeld = false;
    this.socket.resume();
  }

  /** Parses in small pieces, for all the requests in one become objects at once. */
  private take(chunk: Buffer): void {
    if (this.isOver) {
      this.throwAway(chunk);
      return;
    }
    let at = 0;
    for (; at < chunk.length && this.isWanted; at += pieceBytes) {
      const piece = chunk.subarray(at, at + pieceBytes);
      if (this.start.length === 0) this.start = piece;
      this.parser(piece);
    }
    if (at < chunk.length) this.putBack(chunk.subarray(at));
  }

  /** Whether what comes next is awaited: a request, or the rest of the one that is being answered. */
  private get isWanted(): boolean {
    const [first, second] = this.turns;
    return !this.isOver && second === undefined && first?.exchange?.request.complete !== true;
  }

  /** Bytes that wait in the socket's own buffer keep it from reading more, whoever resumes it. */
  private putBack(bytes: Buffer): void {
    this.socket.pause();
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
const pieceBytes = 1024;

/** Takes Node's own reader, the only one that a new connection has, off the connection; says how to feed it. */
function takeParser(socket: Socket): (bytes: Buffer) => void {
  const [read] = socket.listeners('data');
  if (!read) throw new Error('nobody reads this connection');
  socket.removeAllListeners('data');
  return (bytes) => void Reflect.apply(read, socket, [bytes]);
}
