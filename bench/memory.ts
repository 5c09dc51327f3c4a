import { readFile } from 'node:fs/promises';
import { type Target } from './target.js';

/** What work did to a target's resident memory, in bytes: how much there was before, and how much more at the peak. */
export async function watchMemory<T>(
  target: Target,
  work: () => Promise<T>,
): Promise<{ result: T; before: number; growth: number }> {
  const before = await memoryOf(target);
  let peak = before;
  const look = setInterval(() => {
    void memoryOf(target).then((bytes) => (peak = Math.max(peak, bytes)));
  }, 50);
  try {
    const result = await work();
    return { result, before, growth: peak - before };
  } finally {
    clearInterval(look);
  }
}

/** Resident memory, by the system's account; where that has none, by the process's own. */
async function memoryOf(target: Target): Promise<number> {
  const status = await readFile(`/proc/${target.pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s*(\d+) kB/m.exec(status)?.[1];
  return kilobytes === undefined ? Number(await target.ask('memory')) : Number(kilobytes) * 1024;
}
