import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { type Duplex } from 'node:stream';

/** The most requests of one connection that are handled at once. */
const MAX_AT_ONCE = 4;
/** A connection that waits for its client is cut after this time without progress. */
const STALL_MS = 60_000;
/** A refused client may continue to send its body for this time, so that the client can read the refusal. */
const REST_MS = 10_000;

/** Sets the time limits of Node.js for a server whose requests run through `inTurn`. */
export function limitConnections(server: Server): void {
  server.headersTimeout = STALL_MS;
  // No limit, because the bodies of batches may take long. `requestDeadline` limits other bodies.
  server.requestTimeout = 0;
  server.timeout = STALL_MS;
  // Most load balancers close idle connections after 60 s. The load balancer must close first, because a
  // request that arrives while the service closes the connection is lost.
  server.keepAliveTimeout = 75_000;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const lines = new WeakMap<Duplex, RequestLine>();

/** Handles at most four requests of a connection at once, in order. Node.js would start all at once. */
export function inTurn(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const { socket } = request;
  let line = lines.get(socket);
  if (!line) lines.set(socket, (line = new RequestLine(socket)));
  line.enter({ request, response }, next);
}

/** Whether the connection owes an answer to a complete request, or the rest of an answer that has begun. */
export function owesAnswer(socket: Duplex): boolean {
  return lines.get(socket)?.owesAnswer === true;
}

/** The requests of a connection that have not been answered completely. */
class RequestLine {
  private readonly handled = new Set<Exchange>();
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly socket: Socket) {
    // Node.js resumes the socket after each answer.
    socket.on('resume', () => {
      if (this.waiting.length > 0) socket.pause();
    });
    socket.once('close', () => {
      this.waiting.length = 0;
      // Node.js emits `close` only on the response that it was sending.
      for (const { response } of this.handled) if (!response.socket) response.destroy().emit('close');
    });
  }

  get owesAnswer(): boolean {
    return [...this.handled].some(({ request, response }) => request.complete || response.headersSent);
  }

  enter(exchange: Exchange, begin: () => void): void {
    if (this.handled.size < MAX_AT_ONCE) this.handle(exchange, begin);
    else {
      this.waiting.push(() => {
        this.handle(exchange, begin);
      });
      this.socket.pause();
    }
  }

  private handle(exchange: Exchange, begin: () => void): void {
    const { response } = exchange;
    this.handled.add(exchange);
    // Several parts of the service listen for the end of a request.
    response.setMaxListeners(20);
    response.on('timeout', () => {
      this.cutIfStalled(exchange);
    });
    response.once('close', () => {
      this.handled.delete(exchange);
      limitRest(exchange);
      this.admit();
    });
    begin();
  }

  private admit(): void {
    if (this.socket.destroyed) return;
    this.waiting.shift()?.();
    if (this.waiting.length === 0 && this.socket.isPaused()) this.socket.resume();
  }

  /** Cuts the connection if the client has stopped sending its request or reading its answer. */
  private cutIfStalled({ request }: Exchange): void {
    const sendsNothing = !request.complete && request.readableLength === 0;
    if (sendsNothing || this.socket.writableLength > 0) this.socket.destroy();
  }
}

/** Drops the rest of a partly read body. Node.js itself drops only a body that nobody has begun to read. */
function limitRest({ request }: Exchange): void {
  if (request.complete) return;
  request.on('data', () => undefined);
  request.resume();
  const cut = setTimeout(() => request.socket.destroy(), REST_MS).unref();
  request.once('close', () => {
    clearTimeout(cut);
  });
}
