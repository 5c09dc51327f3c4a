import { EventEmitter, once } from 'node:events';
import { type AddressInfo, type Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A letter as a mail server has taken it. */
export interface TakenLetter {
  readonly from: string;
  readonly to: string;
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Its parts, decoded, by their types. */
  readonly parts: ReadonlyMap<string, string>;
  readonly raw: string;
}

/** What a mail server may do at a phase: nothing for ever, hang up, answer with a status, or go on. */
type Behaviour = 'hang' | 'break' | number | undefined;

/** A mail server in the process of the test. */
export interface MailServer {
  readonly port: number;
  readonly letters: readonly TakenLetter[];
  /** How many letters came whole, taken or not. */
  readonly contents: number;
  readonly connections: number;
  /** The letters to this address, as soon as there are so many. */
  lettersTo(address: string, count?: number): Promise<readonly TakenLetter[]>;
  /** What it does from now on with letters to an address, or so many times. */
  behave(address: string, phase: 'rcpt' | 'content', behaviour: Behaviour, times?: number): void;
  stop(): Promise<void>;
}

/** Starts `smtp-server`, without TLS. */
export async function startMailServer(port = 0): Promise<MailServer> {
  const letters: TakenLetter[] = [];
  const arrivals = new EventEmitter().setMaxListeners(0);
  const behaviours = new Map<string, { readonly behaviour: Behaviour; times: number }>();
  const sockets = new Set<Socket>();
  let contents = 0;
  let connections = 0;
  const answer = (address: string, phase: string, go: (error?: Error) => void): void => {
    const known = behaviours.get(`${phase} ${address}`);
    const behaviour = known && known.times > 0 ? known.behaviour : undefined;
    if (known) known.times -= 1;
    if (behaviour === 'break') for (const socket of sockets) socket.destroy();
    if (behaviour === 'hang' || behaviour === 'break') return;
    if (behaviour === undefined) go();
    else go(Object.assign(new Error('as told'), { responseCode: behaviour }));
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    closeTimeout: 1,
    onConnect(_, go) {
      connections += 1;
      go();
    },
    onRcptTo({ address }, _, go) {
      answer(address, 'rcpt', (error) => {
        go(error ?? null);
      });
    },
    onData(stream, { envelope }, go) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        contents += 1;
        const to = envelope.rcptTo[0]?.address ?? '';
        answer(to, 'content', (error) => {
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
          if (!error) letters.push({ from, to, ...readLetter(Buffer.concat(chunks).toString()) });
          arrivals.emit('letter');
          go(error ?? null);
        });
      });
    },
  });
  server.on('error', () => undefined);
  const listener = server.listen(port, '127.0.0.1');
  listener.on('connection', (socket: Socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)));
  });
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    letters,
    get contents() {
      return contents;
    },
    get connections() {
      return connections;
    },
    async lettersTo(address, count = 1) {
      const found = (): TakenLetter[] => letters.filter(({ to }) => to === address);
      while (found().length < count) await once(arrivals, 'letter');
      return found();
    },
    behave(address, phase, behaviour, times = Infinity) {
      behaviours.set(`${phase} ${address}`, { behaviour, times });
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
      }),
  };
}

/** Reads a letter of one or two parts. */
function readLetter(raw: string): Pick<TakenLetter, 'headers' | 'parts' | 'raw'> {
  const { headers, body } = split(raw);
  const [, boundary] = /boundary="?([^";]+)"?/.exec(headers.get('content-type') ?? '') ?? [];
  const pieces = boundary === undefined ? [raw] : body.split(`--${boundary}`).slice(1, -1);
  const parts = pieces.map((piece): [string, string] => {
    const part = split(piece.replace(/^\r\n/, ''));
    const [type = ''] = (part.headers.get('content-type') ?? '').split(';');
    return [type, decode(part.body.replace(/\r\n$/, ''), part.headers.get('content-transfer-encoding'))];
  });
  return { headers, parts: new Map(parts), raw };
}

function split(raw: string): { readonly headers: ReadonlyMap<string, string>; readonly body: string } {
  const [head = ''] = raw.split('\r\n\r\n', 1);
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const headers = new Map(
    lines.map((line): [string, string] => {
      const [name = '', ...value] = line.split(':');
      return [name.toLowerCase(), value.join(':').trim()];
    }),
  );
  expectOnce(lines);
  return { headers, body: raw.slice(head.length + 4) };
}

/** A header that stands twice is one that somebody has slipped in. */
function expectOnce(lines: readonly string[]): void {
  const names = lines.map((line) => line.split(':', 1)[0]?.toLowerCase());
  expect(new Set(names).size).toBe(names.length);
}

function decode(body: string, encoding = '7bit'): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

/** The words of a header that may be encoded. */
export function headerText(value = ''): string {
  const words = value.replace(/\?=\s+=\?/g, '?==?');
  return words.replace(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, way: string, text: string) =>
    way.toUpperCase() === 'B'
      ? Buffer.from(text, 'base64').toString()
      : decode(text.replaceAll('_', ' '), 'quoted-printable'),
  );
}
