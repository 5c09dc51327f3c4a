import { TooManyCalls, WaitingCalls } from '../../../src/executions/do-effect.js';

/** Work that goes on until it is told to end, and the list of those that were begun. */
function begun(): {
  readonly names: string[];
  readonly ends: (() => void)[];
  readonly work: (name: string) => () => Promise<void>;
} {
  const names: string[] = [];
  const ends: (() => void)[] = [];
  return {
    names,
    ends,
    work: (name) => () => {
      names.push(name);
      return new Promise((end) => ends.push(end));
    },
  };
}

describe('calls that wait for their answers', () => {
  // Rule: a system that hangs keeps no call of others waiting, however much the executions hold that have called it.
  it('a call that is as large as the whole room leaves room for calls of others', async () => {
    const calls = new WaitingCalls();
    const { names, work } = begun();
    const call = (workspaceId: number, receiver: string, held: number): void =>
      void calls.make({ workspaceId, receiver, held }, work(receiver)).catch(() => undefined);
    call(1, 'http://hangs', 128_000_000);
    call(2, 'http://answers', 100);
    call(1, 'http://answers-too', 128_000_000);
    expect(names).toEqual(['http://hangs', 'http://answers', 'http://answers-too']);
    const more = calls.make({ workspaceId: 2, receiver: 'http://hangs', held: 1 }, work('more'));
    await expect(more).rejects.toBeInstanceOf(TooManyCalls);
  });
});
