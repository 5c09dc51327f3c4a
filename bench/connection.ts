import { connect } from 'node:net';
import { once } from 'node:events';

export interface Answer {
  readonly status: number;
  readonly head: string;
  /** As sent, in pieces; `textOf` reads it. */
  readonly body: readonly Buffer[];
}

/** A kept-alive connection that carries one request at a time. */
export interface Connection {
  send(request: string): Promise<Answer>;
  close(): void;
}

/**
 * Opens a connection to a server on this machine. Of each answer, only what shows where the answer ends is
 * parsed, because the client shares the machine's processors with the measured service.
 */
export async function openConnection(port: number): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let pending: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;
  let reading: Reading | undefined;
  socket.on('data', (chunk) => {
    reading = reading ? more(reading, chunk) : begin(chunk);
    if (!isWhole(reading)) return;
    const { status, head, body } = reading;
    reading = undefined;
    pending?.resolve({ status, head, body });
  });
  const lose = (error?: unknown): void => {
    pending?.reject(new Error('the server closed a connection', { cause: error }));
  };
  socket.on('error', lose).on('close', lose);
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        pending = { resolve, reject };
        if (socket.destroyed) lose();
        else socket.write(request);
      }),
    close: () => {
      socket.destroy();
    },
  };
}

export function textOf({ head, body }: Answer): string {
  const bytes = Buffer.concat(body);
  if (!/transfer-encoding: *chunked/i.test(head)) return bytes.toString();
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n', at);
    const size = parseInt(bytes.toString('latin1', at, end), 16);
    if (!(size > 0)) return Buffer.concat(chunks).toString();
    chunks.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + size + 4;
  }
}

interface Reading extends Answer {
  readonly body: Buffer[];
  /** The remaining bytes; absent if the last chunk marks the end. */
  missing: number | undefined;
}

// The heads of these servers arrive in one piece.
function begin(chunk: Buffer): Reading {
  const end = chunk.indexOf('\r\n\r\n');
  if (end < 0) throw new Error('an answer came without its head');
  const head = chunk.toString('latin1', 0, end);
  const body = chunk.subarray(end + 4);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  const missing = length === undefined ? undefined : Number(length) - body.length;
  return { status: Number(head.slice(9, 12)), head, body: [body], missing };
}

function more(reading: Reading, chunk: Buffer): Reading {
  reading.body.push(chunk);
  if (reading.missing !== undefined) reading.missing -= chunk.length;
  return reading;
}

// JSON contains no raw line breaks, so `0\r\n\r\n` occurs only at the end of a chunked body.
function isWhole({ missing, body }: Reading): boolean {
  if (missing !== undefined) return missing <= 0;
  const last = body.at(-1);
  if (last && last.length >= 5) return last.toString('latin1', last.length - 5) === '0\r\n\r\n';
  return Buffer.concat(body).toString('latin1').endsWith('0\r\n\r\n');
}
