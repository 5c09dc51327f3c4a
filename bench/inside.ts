import { Session } from 'node:inspector/promises';

/** The questions of the run to a target. */
export type Question = 'cpu' | 'memory' | 'start profile' | 'stop profile';

/** The time spent in a function itself, in microseconds. */
export interface SelfTime {
  readonly name: string;
  readonly url: string;
  readonly line: number;
  readonly time: number;
}

// Loaded into every target before its own program: answers the questions of the run, and ends with it.
const answers: Record<Question, () => unknown> = {
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  memory: () => process.memoryUsage.rss(),
  'start profile': startProfile,
  'stop profile': stopProfile,
};

process.on('message', (question: Question) => {
  void Promise.resolve(answers[question]()).then((answer) => process.send?.({ answer }));
});
process.on('disconnect', () => process.exit());

let session: Session | undefined;

async function startProfile(): Promise<void> {
  session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 200 });
  await session.post('Profiler.start');
}

async function stopProfile(): Promise<SelfTime[]> {
  if (!session) return [];
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  const times = new Map<number, number>();
  profile.samples?.forEach((node, index) => {
    times.set(node, (times.get(node) ?? 0) + (profile.timeDeltas?.[index] ?? 0));
  });
  return profile.nodes.map(({ id, callFrame }) => ({
    name: callFrame.functionName,
    url: callFrame.url,
    line: callFrame.lineNumber + 1,
    time: times.get(id) ?? 0,
  }));
}
