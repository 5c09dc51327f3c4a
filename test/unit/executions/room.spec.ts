import { type Claimed } from '../../../src/executions/claims.repository.js';
import { LargeTasks, TooManyCalls, WaitingCalls } from '../../../src/executions/execution-room.js';

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
  it('of which one holds as much as all may leave room for those of others', async () => {
    const calls = new WaitingCalls();
    const { names, work } = begun();
    const call = (workspaceId: number, origin: string, held: number): void =>
      void calls.make({ workspaceId, origin, held }, work(origin)).catch(() => undefined);
    call(1, 'http://hangs', 128_000_000);
    call(2, 'http://answers', 100);
    call(1, 'http://answers-too', 128_000_000);
    expect(names).toEqual(['http://hangs', 'http://answers', 'http://answers-too']);
    const more = calls.make({ workspaceId: 2, origin: 'http://hangs', held: 1 }, work('more'));
    await expect(more).rejects.toBeInstanceOf(TooManyCalls);
  });
});

describe('executions on large tasks', () => {
  it('are worked at one at a time of a workspace where the tasks are of the largest, and none waits for those of others', async () => {
    const room = new LargeTasks();
    const { names, ends, work } = begun();
    const use = (workspaceId: number, largeBytes: number, name: string): void =>
      void room.use({ workspaceId, largeBytes } as Claimed, work(name)).catch(() => undefined);
    use(1, 64_000_000, 'first');
    use(1, 64_000_000, 'second');
    use(1, 0, 'small');
    use(2, 64_000_000, 'of another');
    await new Promise((resolve) => setImmediate(resolve));
    expect(names).toEqual(['small', 'first', 'of another']);
    for (const end of ends) end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(names).toEqual(['small', 'first', 'of another', 'second']);
  });
});
