import { createClient, CursorExpired, type FollowOptions } from '../client.js';
import { cut, json, type Script, type ScriptedServer, silence, startScripted } from './scripted-server.js';

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScripted();
});
afterAll(() => {
  server.stop();
});

const page = (ids: readonly number[], next: string): Script =>
  json(200, ids.map((id) => ({ id: `evt_${id}` })), { link: `<http://x/api/v1/events?_after=${next}>; rel="next"` }); // prettier-ignore

async function follow(count: number, options: FollowOptions): Promise<string[]> {
  const told: string[] = [];
  const stop = new AbortController();
  const { events } = createClient({ url: server.url, key: 'k', deadline: 20_000 });
  for await (const { event, cursor } of events.follow({ ...options, signal: stop.signal })) {
    told.push(`${event.id} ${cursor}`);
    if (told.length === count) stop.abort();
  }
  return told;
}
const queries = () => server.asked.map(({ path }) => path.split('?')[1]);

describe('events.follow', () => {
  // Rule: who goes on from a cursor misses nothing.
  it('tells pages in their order; only the last of a page moves the cursor', async () => {
    server.play(page([1, 2], 'b'), page([], 'c'), page([3], 'd'), silence);
    const idle: string[] = [];
    const options = {
      after: 'a',
      types: ['task.updated'],
      workflows: ['v', 'w'],
      onIdle: (at: string) => idle.push(at),
    };
    expect(await follow(3, options)).toEqual(['evt_1 a', 'evt_2 b', 'evt_3 d']);
    expect(idle).toEqual(['c']);
    const filter = 'type=task.updated&workflow=v&workflow=w';
    expect(queries().slice(0, 3)).toEqual([`${filter}&_after=a`, `${filter}&_after=b`, `${filter}&_after=c`]);
    expect(server.asked[0]?.headers).toMatchObject({ prefer: 'wait=25', authorization: 'Bearer k' });
  });

  it('takes a cursor of now before it waits, so that nothing is missed when that is cut', async () => {
    server.play(page([], 'n'), cut, page([1], 'b'), silence);
    expect(await follow(1, { after: 'now' })).toEqual(['evt_1 b']);
    expect(queries().slice(0, 3)).toEqual(['_after=now&_limit=1', '_after=n', '_after=n']);
  });

  it('goes on while the service is away, for longer than a deadline', async () => {
    let tries = 0;
    const away: Script = (answer, asked) =>
      tries++ < 7 ? cut(answer, asked) : page([1], 'b')(answer, asked);
    server.play(away);
    expect(await follow(1, { after: 'a', wait: 0, deadline: 200 })).toEqual(['evt_1 b']);
  });

  it('tells of each try for which the service is away, and why', async () => {
    const away: string[] = [];
    const onAway = ({ message }: Error) => away.push(message);
    server.play(json(503, { detail: 'stopping' }), cut, json(429, {}), page([1], 'b'), silence);
    expect(await follow(1, { after: 'a', deadline: 20_000, onAway })).toEqual(['evt_1 b']);
    expect(away).toEqual([
      '503: stopping',
      expect.stringMatching(/events\?_after=a: other side closed$/),
      expect.stringMatching(/^429/),
    ]);
  });

  it('throws what does not pass', async () => {
    server.play(json(401, {}));
    await expect(follow(1, { after: 'a' })).rejects.toMatchObject({ status: 401 });
    server.play(json(422, { errors: { type: ['is not a type of events'] } }));
    await expect(follow(1, { after: 'a' })).rejects.toMatchObject({ name: 'ValidationError' });
  });

  it('throws CursorExpired, whose resync is a cursor of now', async () => {
    server.play(json(410, { type: 'cursor-expired', detail: 'begin anew' }), page([], 'fresh'));
    const error: unknown = await follow(1, { after: 'old' }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(CursorExpired);
    expect(error).toMatchObject({ status: 410 });
    expect(await (error as CursorExpired).resync()).toBe('fresh');
    // For instance a cursor of another workspace.
    server.play(json(422, { errors: { _after: ['is not a cursor of this feed'] } }), page([], 'mine'));
    const strange: unknown = await follow(1, { after: 'other' }).catch((error: unknown) => error);
    expect(strange).toBeInstanceOf(CursorExpired);
    expect(strange).toMatchObject({ status: 422, message: '422: _after is not a cursor of this feed' });
    expect(await (strange as CursorExpired).resync()).toBe('mine');
  });

  it('begins with the oldest event without a cursor, or with the empty one that it gave', async () => {
    server.play(page([1, 2], 'b'));
    expect(await follow(1, {})).toEqual(['evt_1 ']);
    server.play(page([1, 2], 'b'));
    expect(await follow(2, { after: '' })).toEqual(['evt_1 ', 'evt_2 b']);
    expect(queries()[0]).toBeUndefined();
  });
});
