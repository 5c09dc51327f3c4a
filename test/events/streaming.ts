import { get, type IncomingMessage } from 'node:http';

export interface Message {
  readonly id: string;
  readonly data: string;
}

/** A stream of server-sent events, as a client reads it. */
export interface Stream {
  /** The next messages, once there are so many. */
  take(count: number): Promise<Message[]>;
  /** The next comment, with the cursor that comes along. */
  comment(): Promise<string>;
  /** Resolves when the other side has ended it. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Begins to read a stream. */
export async function streamOf(url: string, headers: Record<string, string>): Promise<Stream> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers: { ...headers, Accept: 'text/event-stream' }, agent: false }, resolve).once(
      'error',
      reject,
    );
  });
  if (response.statusCode !== 200) throw new Error(`the stream is refused with ${response.statusCode}`);
  const messages: Message[] = [];
  const comments: string[] = [];
  let wake = (): void => undefined;
  let rest = '';
  response.setEncoding('utf8').on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    messages.push(...blocks.flatMap(messageOf));
    comments.push(...blocks.filter((block) => block.startsWith(':')));
    wake();
  });
  response.on('error', () => undefined);
  return {
    async take(count) {
      while (messages.length < count) await new Promise<void>((resolve) => (wake = resolve));
      return messages.splice(0, count);
    },
    async comment() {
      while (comments.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return comments.shift() ?? '';
    },
    ended: new Promise((resolve) => response.once('end', resolve)),
    close: () => response.destroy(),
  };
}

function messageOf(block: string): Message[] {
  const value = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  const data = value('data');
  return data === undefined ? [] : [{ id: value('id') ?? '', data }];
}
