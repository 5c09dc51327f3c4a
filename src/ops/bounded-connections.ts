import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { type Duplex } from 'node:stream';
import { measureUnsent, MAX_UNSENT_BYTES } from '../lib/unsent-answers.js';
import { Connection, type ConnectionLimits, LOOKS_OF_STALL } from './connection.js';

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
