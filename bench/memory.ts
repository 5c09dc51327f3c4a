import { readFile } from 'node:fs/promises';
import { type Target } from './target.js';

/** The resident memory of a target in bytes: before the work, and the growth at its peak. */
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

/** Resident memory as reported by the system, or otherwise by the process itself. */
async function memoryOf(target: Target): Promise<number> {
  const status = await readFile(`/proc/${target.pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s*(\d+) kB/m.exec(status)?.[1];
  return kilobytes === undefined ? Number(await target.ask('memory')) : Number(kilobytes) * 1024;
}
