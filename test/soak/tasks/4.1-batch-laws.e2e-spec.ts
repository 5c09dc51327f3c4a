import fc from 'fast-check';
import { startService } from '../../support/service.js';
import { definition, storedTasks } from './writes-model.js';

const short = fc.record(
  { ID: fc.constantFrom(1, 2, '7', 'abc', null), Must: fc.constantFrom('x', 'y', null) },
  { requiredKeys: [] },
);
const rowOf = {
  things: fc.record(
    {
      ID: fc.constantFrom('a', 'b', 'c', 'd', ' e', null, 5),
      Must: fc.constantFrom('x', 'y', '', null),
      Once: fc.constantFrom('one', 'two', null),
      Given: fc.constantFrom(1, '2.50', 'many', null),
      Tier: fc.constantFrom('Gold', 'Silver', 'Lead', ''),
      Docs: fc.constantFrom([], null, [{ blobId: 'nowhere' }]),
      Parts: fc.constantFrom([], [{ 'Part ID': 'p1' }], [{ 'Part ID': 'p2' }, { 'Part ID': 'p1' }], [{ 'Part ID': 'p9' }], null), // prettier-ignore
      Stage: fc.constantFrom('New', 'Done', 'Nowhere'),
      'Assigned To': fc.constantFrom('mina@acme.test', 'nobody@acme.test', null),
      Colour: fc.constant('red'),
    },
    { requiredKeys: [] },
  ),
  numbered: short,
  loose: short,
};
const raw = fc.constantFrom('{"ID":', '[]', '7', '{"ID":"a","ID":"b"}', '{"Must":"\\ud800"}');

/** Mostly what is accepted, or nothing would ever be there to change. */
function lines(workflow: keyof typeof rowOf): fc.Arbitrary<string[]> {
  const row: fc.Arbitrary<{ ID?: unknown; Must?: unknown }> = rowOf[workflow];
  const given = row.map((each) => JSON.stringify(each));
  const filled = row.map(({ ID, Must }) => JSON.stringify({ ID: ID ?? 'a', Must: Must ?? 'z' }));
  const line = fc.oneof({ weight: 5, arbitrary: given }, { weight: 4, arbitrary: filled }, raw);
  return fc.array(line, { minLength: 1, maxLength: 25 });
}

interface Line {
  readonly row: number;
  readonly status: string;
  readonly unique_id: string | null;
  readonly errors?: Record<string, string[]> | undefined;
}

const service = await startService();
afterAll(() => service.stop());
const keys = new Map<string, string>();
for (const workspace of ['single', 'batch', 'atomic']) {
  await service.apply(definition(workspace));
  keys.set(workspace, await service.key(workspace));
}

describe('a batch does what its rows would do as POSTs, one by one', () => {
  const stored = (workspace: string): Promise<unknown[]> => storedTasks(service, workspace, 'id');

  it.each(['things', 'numbered', 'loose'] as const)(
    'whatever the rows of %s are: statuses, errors, tasks, versions, items, links and order',
    async (workflow) => {
      const law = fc.asyncProperty(lines(workflow), async (texts) => {
        const before = await empty();
        const tags = new Set<string>();
        const expected: Line[] = [];
        for (const [at, text] of texts.entries()) expected.push(await postOne(workflow, text, at + 1, tags));
        const errors = expected.filter(({ status }) => status === 'error');
        const asOne = errors.length > 0 ? [422, errors] : [200, expected];

        expect(await batch('batch', workflow, texts)).toEqual([200, expected]);
        expect(await stored('batch')).toEqual(await stored('single'));
        expect(await batch('atomic', `${workflow}?_dry_run=true`, texts)).toEqual([200, expected]);
        expect(await batch('atomic', `${workflow}?_atomic=true`, texts)).toEqual(asOne);
        expect(await stored('atomic')).toEqual(errors.length > 0 ? before : await stored('single'));
      });
      await fc.assert(law, { numRuns: 20, interruptAfterTimeLimit: 200_000, markInterruptAsFailure: true });
    },
  );

  /** Leaves nothing but two parts to link. */
  async function empty(): Promise<unknown[]> {
    await service.dataSource.query('DELETE FROM tasks; DELETE FROM unique_id_counters');
    for (const workspace of keys.keys())
      for (const part of ['p1', 'p2']) await send(workspace, 'parts/tasks', `{"Part ID":"${part}"}`);
    return stored('atomic');
  }

  async function send(workspace: string, path: string, body: string, type = 'application/json') {
    const headers = { Authorization: `Bearer ${keys.get(workspace) ?? ''}`, 'Content-Type': type };
    const answer = await fetch(`${service.url}/api/v1/workflows/${path}`, { method: 'POST', headers, body });
    return { status: answer.status, tag: answer.headers.get('etag') ?? '', text: await answer.text() };
  }

  async function batch(workspace: string, to: string, texts: readonly string[]): Promise<unknown[]> {
    const path = to.replace(/^\w+/, '$&/tasks/batch');
    const { status, text } = await send(workspace, path, texts.join('\n'), 'application/x-ndjson');
    return [status, text.split('\n').filter(Boolean).map((line) => JSON.parse(line) as Line)]; // prettier-ignore
  }

  /** What a POST of this row is answered, said as a batch says it; a tag that was seen before is of no change. */
  async function postOne(workflow: string, text: string, row: number, tags: Set<string>): Promise<Line> {
    const { status, tag, text: answer } = await send('single', `${workflow}/tasks`, text);
    const body = JSON.parse(answer) as { ID?: string | null; errors?: Line['errors']; detail?: string };
    if (status === 400) {
      const detail = (body.detail ?? '')
        .replace('The body must be', 'The row must be')
        .replace('; send several tasks to `/tasks/batch`', '');
      return { row, status: 'error', unique_id: null, errors: { base: [detail] } };
    }
    if (status === 422) {
      const { ID } = JSON.parse(text) as { ID?: string | number | null };
      const id = body.errors?.['ID']?.[0] === undefined || ID == null ? ID : null;
      return { row, status: 'error', unique_id: id == null ? null : String(id), errors: body.errors };
    }
    const updated = tags.has(tag) ? 'unchanged' : 'updated';
    tags.add(tag);
    return { row, status: status === 201 ? 'created' : updated, unique_id: body.ID ?? null };
  }
});
