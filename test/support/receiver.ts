import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A request as its receiver saw it. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The time in milliseconds when it was complete. */
  readonly at: number;
}

/** Answers a call; `earlier` is the number of earlier calls to the same path. */
export type Answer = (response: ServerResponse, call: Call, earlier: number) => unknown;

/** A system that `api_call`s are sent to. */
export interface Receiver {
  readonly url: string;
  readonly calls: readonly Call[];
  /** The calls whose path begins like this. */
  of(path: string): Call[];
  /** Sets the answer to calls whose path begins like this; others get 200 without a body. */
  answer(path: string, answer: Answer): void;
  /** Waits until so many calls with such a path have arrived. */
  called(path: string, count?: number): Promise<Call[]>;
  stop(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const calls: Call[] = [];
  const answers = new Map<string, Answer>();
  const of = (path: string): Call[] => calls.filter((call) => call.path.startsWith(path));
  const arrivals = new EventEmitter().setMaxListeners(0);
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = { method, path, headers, body: Buffer.concat(chunks).toString(), at: performance.now() };
      const earlier = calls.filter((other) => other.path === path).length;
      calls.push(call);
      arrivals.emit('call');
      const [, answer] = [...answers].find(([begin]) => path.startsWith(begin)) ?? [];
      if (answer) answer(response, call, earlier);
      else response.end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    of,
    answer(path, answer) {
      answers.set(path, answer);
    },
    async called(path, count = 1) {
      while (of(path).length < count) await once(arrivals, 'call');
      return of(path);
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Starts a receiver for all tests of a file, at whose end it is stopped. */
export async function receiverOfFile(): Promise<Receiver> {
  const receiver = await startReceiver();
  afterAll(() => {
    receiver.stop();
  });
  return receiver;
}

/** Answers with this status, these headers and this body; anything but a text is sent as JSON. */
export function answerWith(status: number, body: unknown = '', headers: Record<string, string> = {}): Answer {
  const isText = typeof body === 'string';
  const type = isText ? {} : { 'content-type': 'application/json' };
  return (response) => {
    response.writeHead(status, { ...type, ...headers }).end(isText ? body : JSON.stringify(body));
  };
}

/** Never answers. */
export const neverAnswer: Answer = () => undefined;
