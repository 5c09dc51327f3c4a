import { get } from 'node:http';
import { watchMemory } from '../memory.js';
import { type Target } from '../target.js';

/** The cost of the complete list of a workflow. */
export interface Streamed {
  readonly firstByteMs: number;
  readonly seconds: number;
  readonly bytes: number;
  readonly tasks: number;
  /** The growth of the service's memory at its peak, in bytes. */
  readonly growth: number;
  readonly before: number;
}

/** Reads a complete list as fast as it comes, and looks at the service's memory every 50 ms. */
export async function streamList(target: Target, path: string, key: string): Promise<Streamed> {
  const { result, ...memory } = await watchMemory(target, () => readAll(target.port, path, key));
  return { ...result, ...memory };
}

function readAll(
  port: number,
  path: string,
  authorization: string,
): Promise<Omit<Streamed, 'before' | 'growth'>> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const read = { firstByteMs: 0, seconds: 0, bytes: 0, tasks: 0 };
    const count = taskCounter();
    get({ port, path, host: '127.0.0.1', headers: { authorization } }, (response) => {
      response.on('data', (chunk: Buffer) => {
        read.firstByteMs ||= performance.now() - begun;
        read.bytes += chunk.length;
        read.tasks += count(chunk);
      });
      response.on('end', () => {
        read.seconds = (performance.now() - begun) / 1000;
        if (response.statusCode === 200) resolve(read);
        else reject(new Error(`${path} was answered ${response.statusCode ?? 0}`));
      });
      response.on('error', reject);
    }).on('error', reject);
  });
}

/** Counts tasks by a key that each has once, even if it is split between two chunks. */
function taskCounter(): (chunk: Buffer) => number {
  const key = Buffer.from('"Task URL":');
  let rest = Buffer.alloc(0);
  return (chunk) => {
    const text = Buffer.concat([rest, chunk]);
    rest = Buffer.from(text.subarray(Math.max(0, text.length - key.length + 1)));
    let found = 0;
    for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + key.length)) found++;
    return found;
  };
}
