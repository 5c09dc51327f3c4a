import { createClient } from '../../../packages/client/client.js';
import { startServiceWith } from '../../support/service.js';
import { patience } from '../../support/until.js';
import { type Fault, startCuttingProxy } from './cutting-proxy.js';

const definition = `
workspace: { id: acme, name: Acme }
workflows:
  - id: numbers
    name: Numbers
    stages: [{ name: New }]
    fields: [{ name: No, type: uniqueId, autoincrement: true }, { name: Text, type: text }]
  - { id: plain, name: Plain, stages: [{ name: New }], fields: [{ name: Text, type: text }] }
`;

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const { service, key } = await startServiceWith(definition);

describe('the client in TypeScript', () => {
  // Rule: through a proxy that cuts before and after the body, storms of 429 and slow answers.
  it('makes exactly 400 tasks by 400 creates, whatever is cut, and follows them without a gap', async () => {
    const faults: readonly Fault[] = ['none', 'none', 'none', 'none', 'none', 'late', 'lost', 'unanswered', 'unanswered', 'cut', 'storm', 'busy']; // prettier-ignore
    const proxy = await startCuttingProxy(service.url, () => faults[Math.floor(Math.random() * faults.length)] ?? 'none'); // prettier-ignore
    const through = createClient({ url: proxy.url, key, deadline: patience });
    // One numbers its tasks and the other names none: nothing but the key of the call tells two of a kind.
    const [numbers, plain] = [through.workflow('numbers').tasks, through.workflow('plain').tasks];
    const wts = createClient({ url: service.url, key });
    const after = await through.events.now();
    let left = 200;
    const shown: unknown[] = [];
    const work = async (): Promise<void> => {
      while (left-- > 0) {
        const [{ task }] = await Promise.all([numbers.create({ Text: 'one' }), plain.save({ Text: 'one' })]);
        shown.push(task['No']);
      }
    };
    await Promise.all(Array.from({ length: 40 }, work));
    const told = new Set<string>();
    const stop = new AbortController();
    for await (const { event } of through.events.follow({ after, limit: 50, wait: 1, signal: stop.signal })) {
      told.add(event.id);
      if (told.size === 400) stop.abort();
    }
    proxy.stop();
    expect([...proxy.faults.keys()].sort()).toEqual([...new Set(faults)].sort());
    expect(await all(wts.workflow('numbers').tasks.list())).toHaveLength(200);
    expect(new Set(shown).size).toBe(200);
    expect(await all(wts.workflow('plain').tasks.list())).toHaveLength(200);
  });
});
