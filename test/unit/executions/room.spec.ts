import { TooManyCalls, WaitingCalls } from '../../../src/executions/do-effect.js';

describe('calls that wait for their answers', () => {
  // Rule: a system that hangs keeps no call of others waiting, however much the executions hold that have called it.
  it('a call that fills the whole room leaves room for calls of other workspaces', async () => {
    const calls = new WaitingCalls();
    const begun: string[] = [];
    const call = (workspaceId: number, receiver: string, held: number): Promise<void> =>
      calls.make({ workspaceId, receiver, held }, () => {
        begun.push(receiver);
        return new Promise(() => undefined);
      });
    void call(1, 'http://hangs', 128_000_000);
    void call(2, 'http://answers', 100);
    void call(1, 'http://answers-too', 128_000_000);
    expect(begun).toEqual(['http://hangs', 'http://answers', 'http://answers-too']);
    await expect(call(2, 'http://hangs', 1)).rejects.toBeInstanceOf(TooManyCalls);
  });
});
