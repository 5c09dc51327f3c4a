import { type Case } from './cases.js';
import { drive } from './drive.js';
import { type SelfTime } from './inside.js';
import { type Target } from './target.js';

/** Where a process spent its time, as shares of its busy time. */
export interface Profile {
  /** As a share of the whole time. */
  readonly idle: number;
  /** Microseconds per request. */
  readonly busy: number;
  readonly garbage: number;
  /** Outside of JavaScript, mostly in the system. */
  readonly native: number;
  readonly functions: readonly Share[];
  /** Shares by folder or package. */
  readonly places: readonly Share[];
}

export interface Share {
  readonly name: string;
  readonly share: number;
}

/** Profiles a target while it answers requests of a case. */
export async function profileCase(
  target: Target,
  one: Case,
  nextNumber: () => number,
  seconds: number,
): Promise<Profile> {
  const next = (): string => one.request(nextNumber());
  await target.ask('start profile');
  const { all } = await drive(target.port, next, seconds);
  return summarize((await target.ask('stop profile')) as SelfTime[], all);
}

function summarize(times: readonly SelfTime[], requests: number): Profile {
  const named = (name: string): number => sum(times.filter((time) => time.name === name));
  const [idle, total] = [named('(idle)'), sum(times) - named('dispatch') - named('post')];
  const busy = total - idle;
  const working = times.filter(({ name }) => !aside.includes(name));
  return {
    idle: idle / total,
    busy: busy / requests,
    garbage: named('(garbage collector)') / busy,
    native: named('(program)') / busy,
    functions: shares(working, busy, nameOf),
    places: shares(working, busy, placeOf),
  };
}

// Listed separately, or part of the profiler.
const aside = ['(idle)', '(program)', '(garbage collector)', 'dispatch', 'post'];

function shares(times: readonly SelfTime[], busy: number, nameOf: (time: SelfTime) => string): Share[] {
  const byName = new Map<string, number>();
  for (const time of times) byName.set(nameOf(time), (byName.get(nameOf(time)) ?? 0) + time.time);
  return [...byName]
    .map(([name, time]) => ({ name, share: time / busy }))
    .sort((one, other) => other.share - one.share);
}

function sum(times: readonly SelfTime[]): number {
  return times.reduce((total, { time }) => total + time, 0);
}

const root = new URL('../../', import.meta.url).href;

function fileOf({ url }: SelfTime): string {
  const path = url.startsWith(root) ? url.slice(root.length) : url;
  return path.replace(/^dist\/|^.*node_modules\//, '') || 'native';
}

function nameOf(time: SelfTime): string {
  const place = time.url ? `${fileOf(time)}:${time.line}` : '(native)';
  return `${time.name || '(anonymous)'} ${place}`;
}

/** The package, or the folder of the service or of Node.js. */
function placeOf(time: SelfTime): string {
  const file = fileOf(time);
  const parts = file.split('/');
  const isScoped = ['@', 'src/', 'node:internal/'].some((start) => file.startsWith(start));
  return parts.slice(0, isScoped ? 2 : 1).join('/');
}
