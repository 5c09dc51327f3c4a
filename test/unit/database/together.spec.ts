import { Together } from '../../../src/common/database/together.js';

interface Sent {
  readonly requests: readonly number[];
  readonly answer: (answers?: readonly (string | undefined)[]) => void;
  readonly fail: () => void;
}

function line(): { sent: Sent[]; ask: (request: number) => Promise<string>; alone: number[] } {
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
  const ask = (request: number): Promise<string> =>
    together.ask(
      () => request,
      async () => {
        alone.push(request);
        for (let turn = 0; turn < 5; turn += 1) await gathered();
        return `${request} alone`;
      },
    );
  return { sent, ask, alone };
}

/** Until what has arrived by now is on its way. */
const gathered = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('requests at the same time share statements', () => {
  it('sends a lone call at once and by itself; calls that arrive meanwhile share a statement', async () => {
    const { sent, ask, alone } = line();
    const first = [1, 2, 3].map((request) => ask(request));
    expect(alone).toEqual([1]);
    await gathered();
    expect(sent.map(({ requests }) => requests)).toEqual([[2, 3]]);
    const second = [4, 5, 6].map((request) => ask(request));
    await gathered();
    expect(sent).toHaveLength(1);
    sent[0]?.answer();
    expect(await Promise.all(first)).toEqual(['1 alone', '2 together', '3 together']);
    await gathered();
    expect(sent[1]?.requests).toEqual([4, 5, 6]);
    sent[1]?.answer();
    expect(await Promise.all(second)).toEqual(['4 together', '5 together', '6 together']);
  });

  it('reports a failed statement to all callers, and runs calls without an answer on their own', async () => {
    const { sent, ask } = line();
    const first = [1, 2, 3].map((request) => ask(request));
    await gathered();
    sent[0]?.fail();
    const outcomes = await Promise.allSettled(first);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    const second = [5, 6, 7].map((request) => ask(request));
    await gathered();
    sent[1]?.answer([undefined, '7 together']);
    expect(await Promise.all(second)).toEqual(['5 alone', '6 alone', '7 together']);
  });

  it('takes at most 64 calls', async () => {
    const { sent, ask } = line();
    const crowd = Array.from({ length: 101 }, (_, at) => ask(at));
    await gathered();
    expect(sent[0]?.requests).toHaveLength(64);
    sent[0]?.answer();
    await crowd[64];
    await gathered();
    expect(sent[1]?.requests).toHaveLength(36);
    sent[1]?.answer();
    expect(new Set(await Promise.all(crowd)).size).toBe(101);
  });

  it('never asks for one name twice in a statement, and limits the length of a statement', async () => {
    const { sent, ask, alone } = line();
    const first = ask(1);
    const named = [6000, 6000, 6001].map((request) => ask(request));
    const long = [9001, 9002, 9003].map((request) => ask(request));
    await gathered();
    expect(sent.map(({ requests }) => requests)).toEqual([[6000, 6001, 9001, 9002]]);
    await first;
    await gathered();
    expect(sent).toHaveLength(1);
    expect(alone).toEqual([1, 9003]);
    sent[0]?.answer();
    await Promise.all([...named, ...long]);
    expect(alone).toEqual([1, 9003, 6000]);
  });
});
