import { setTimeout as sleep } from 'node:timers/promises';
import { Together } from '../../../src/database/together.js';

interface Sent {
  readonly requests: readonly number[];
  readonly answer: (answers?: readonly (string | undefined)[]) => void;
  readonly fail: () => void;
}

function line(): { sent: Sent[]; ask: (request: number, key?: string) => Promise<string>; alone: number[] } {
  const sent: Sent[] = [];
  const alone: number[] = [];
  const together = new Together<number, string>({
    askFor: (requests) =>
      new Promise((resolve, reject) => {
        const all = requests.map((request) => `${request} together`);
        const answer: Sent['answer'] = (answers = all) => {
          resolve(answers);
        };
        sent.push({ requests, answer, fail: () => { reject(new Error('lost')); } }); // prettier-ignore
      }),
    nameOf: (request) => (request > 5000 ? String(request) : null),
    lengthOf: (request) => (request > 9000 ? 100_000 : 1),
  });
  const ask = (request: number, key = 'a'): Promise<string> =>
    together.ask(
      () => request,
      key,
      async () => {
        alone.push(request);
        await sleep(5);
        return `${request} alone`;
      },
    );
  return { sent, ask, alone };
}

describe('requests that wait travel together', () => {
  it('goes at once and alone while there is room; what comes meanwhile goes with the next', async () => {
    const { sent, ask, alone } = line();
    const answers = [1, 2, 3, 4, 5].map((request) => ask(request));
    expect(alone).toEqual([1, 2]);
    expect(await Promise.all(answers.slice(0, 2))).toEqual(['1 alone', '2 alone']);
    expect(sent.map(({ requests }) => requests)).toEqual([[3, 4, 5]]);
    sent[0]?.answer();
    expect(await Promise.all(answers.slice(2))).toEqual(['3 together', '4 together', '5 together']);
  });

  it('tells everyone why the statement failed, and lets those ask alone for whom it has no answer', async () => {
    const { sent, ask } = line();
    const first = [1, 2, 3, 4].map((request) => ask(request));
    await first[0];
    sent[0]?.fail();
    const outcomes = await Promise.allSettled(first);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    const second = [5, 6, 7, 8].map((request) => ask(request));
    await second[1];
    sent[1]?.answer([undefined, '8 together']);
    expect(await Promise.all(second)).toEqual(['5 alone', '6 alone', '7 alone', '8 together']);
  });

  it('takes 64 at most, of which a key has half while others wait', async () => {
    const { sent, ask } = line();
    const crowd = Array.from({ length: 102 }, (_, at) => ask(at, 'crowd'));
    const others = Array.from({ length: 10 }, (_, at) => ask(1000 + at, 'other'));
    await Promise.all(crowd.slice(0, 2));
    const of = (at: number): readonly number[] => sent[at]?.requests ?? [];
    expect(of(0)).toHaveLength(64);
    expect(of(0).filter((request) => request >= 1000)).toHaveLength(10);
    sent[0]?.answer();
    await others[9];
    await sleep(0);
    expect(of(1)).toHaveLength(46);
    sent[1]?.answer();
    expect(new Set(await Promise.all([...crowd, ...others])).size).toBe(112);
  });

  it('asks nothing twice at once, and no more than it may of what is long', async () => {
    const { sent, ask, alone } = line();
    const first = [1, 2].map((request) => ask(request));
    const named = [6000, 6000, 6001].map((request) => ask(request));
    const long = [9001, 9002, 9003].map((request) => ask(request));
    await first[1];
    expect(sent.map(({ requests }) => requests)).toEqual([[6000, 6001, 9001, 9002], [9003]]);
    sent[1]?.answer();
    await long[2];
    expect(sent).toHaveLength(2);
    sent[0]?.answer();
    await named[2];
    expect(sent[2]?.requests).toEqual([6000]);
    sent[2]?.answer();
    await Promise.all([...named, ...long]);
    expect(alone).toEqual([1, 2]);
  });

  it('goes on beside a statement that is slow', async () => {
    const { sent, ask } = line();
    const slow = [1, 2, 3, 4].map((request) => ask(request));
    await slow[1];
    const [fifth, sixth, seventh] = [5, 6, 7].map((request) => ask(request));
    expect(await fifth).toBe('5 alone');
    while (sent.length < 2) await sleep(1);
    sent[1]?.answer();
    expect(await Promise.all([sixth, seventh])).toEqual(['6 together', '7 together']);
    sent[0]?.answer();
    expect(await slow[3]).toBe('4 together');
  });
});
