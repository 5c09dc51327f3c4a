import { AnswerRoom } from '../../../src/http/answer-room.js';
import { Deadline } from '../../../src/lib/deadline.js';

describe('room for long answers', () => {
  const requester = (workspaceId: number): { workspaceId: number; keyId: string; deadline: Deadline } => ({
    workspaceId,
    keyId: 'key',
    deadline: new Deadline(1000, () => false, () => undefined), // prettier-ignore
  });

  it('is held until the client has taken the answer: one key may have 24 MB on their way, others find room', async () => {
    const room = new AnswerRoom();
    const read = (who: ReturnType<typeof requester>): Promise<string> => room.read(who, 8_000_000, () => Promise.resolve('it')); // prettier-ignore
    const first = [requester(1), requester(1), requester(1)];
    for (const who of first) await read(who);
    let isRead = false;
    const fourth = read(requester(1)).then(() => (isRead = true));
    await expect(read(requester(2))).resolves.toBe('it');
    expect(isRead).toBe(false);
    first[1]?.deadline.meet();
    await fourth;
  });

  it('reads two at once of one key, for what is being read takes several times its size', async () => {
    const room = new AnswerRoom();
    const ends: (() => void)[] = [];
    const reads = [1, 1, 1, 2].map((workspace) =>
      room.read(requester(workspace), 1, () => new Promise<void>((end) => ends.push(end))),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(ends.length).toBe(3);
    while (ends.length > 0) {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(reads);
  });
});
