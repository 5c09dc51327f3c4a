import fc from 'fast-check';
import { startService, type TestService } from '../../support/service.js';

const definition = (workspace: string): string => `
workspace: { id: ${workspace}, name: Law }
users: [{ email: mina@acme.test }]
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Done, end: true, change: [Must, Stage, Parts] }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Must, type: text, required: true }
      - { name: Once, type: text, editable: false }
      - { name: Given, type: number, default: 7 }
      - { name: Tier, type: singleSelect, options: [Gold, Silver] }
      - { name: Docs, type: file }
    checklist: [{ title: Look, stage: New }, { title: Sign, stage: Done }]
  - id: numbered
    name: Numbered
    stages: [{ name: New }]
    fields:
      - { name: ID, type: uniqueId, autoincrement: true }
      - { name: Must, type: text, required: true }
  - id: loose
    name: Loose
    stages: [{ name: New }]
    fields:
      - { name: ID, type: uniqueId }
      - { name: Must, type: text, required: true }
  - id: parts
    name: Parts
    stages: [{ name: New }]
    fields: [{ name: Part ID, type: uniqueId, required: true }]
relationships:
  - { id: parts, kind: one_to_many, from: { workflow: things, name: Parts }, to: { workflow: parts, name: Thing } }
`;

const short = () =>
  fc.record(
    { ID: fc.constantFrom(1, 2, '7', 'abc', null), Must: fc.constantFrom('x', 'y', null) },
    { requiredKeys: [] },
  );
const rowOf = {
  things: () =>
    fc.record(
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
  const given = rowOf[workflow]().map((row) => JSON.stringify(row));
  const filled = rowOf[workflow]().map(({ ID, Must }) =>
    JSON.stringify({ ID: ID ?? 'a', Must: Must ?? 'z' }),
  );
  const line = fc.oneof({ weight: 5, arbitrary: given }, { weight: 4, arbitrary: filled }, { weight: 1, arbitrary: raw }); // prettier-ignore
  return fc.array(line, { minLength: 1, maxLength: 25 });
}

interface Line {
  readonly row: number;
  readonly status: string;
  readonly unique_id: string | null;
  readonly errors?: Record<string, string[]> | undefined;
}

describe('a batch does what its rows would do as POSTs, one by one', () => {
  let service: TestService;
  const keys = new Map<string, string>();

  beforeAll(async () => {
    service = await startService();
    for (const workspace of ['single', 'batch', 'atomic']) {
      await service.apply(definition(workspace));
      keys.set(workspace, await service.key(workspace));
    }
  });
  afterAll(() => service.stop());

  it.each(['things', 'numbered', 'loose'] as const)(
    'whatever the rows of %s are: statuses, errors, tasks, versions, items, links and order',
    async (workflow) => {
      await fc.assert(
        fc.asyncProperty(lines(workflow), async (texts) => {
          await empty();
          const expected: Line[] = [];
          for (const [at, text] of texts.entries()) expected.push(await postOne(workflow, text, at + 1));

          const batch = await send(
            'batch',
            `${workflow}/tasks/batch`,
            texts.join('\n'),
            'application/x-ndjson',
          );
          expect([batch.status, linesOf(batch.text)]).toEqual([200, expected]);
          expect(await stored('batch')).toEqual(await stored('single'));

          const rehearsed = await send('atomic', `${workflow}/tasks/batch?_dry_run=true`, texts.join('\n'), 'application/x-ndjson'); // prettier-ignore
          expect([rehearsed.status, linesOf(rehearsed.text)]).toEqual([200, expected]);
          const atomic = await send('atomic', `${workflow}/tasks/batch?_atomic=true`, texts.join('\n'), 'application/x-ndjson'); // prettier-ignore
          const errors = expected.filter(({ status }) => status === 'error');
          expect([atomic.status, linesOf(atomic.text)]).toEqual(errors.length > 0 ? [422, errors] : [200, expected]); // prettier-ignore
          expect(await stored('atomic')).toEqual(errors.length > 0 ? before : await stored('single'));
        }),
        { numRuns: 20, interruptAfterTimeLimit: 200_000, markInterruptAsFailure: true },
      );
    },
  );

  const before: unknown[] = [];

  async function empty(): Promise<void> {
    await service.dataSource.query('DELETE FROM tasks; DELETE FROM unique_id_counters');
    for (const workspace of keys.keys())
      for (const part of ['p1', 'p2'])
        await send(workspace, 'parts/tasks', JSON.stringify({ 'Part ID': part }), 'application/json');
    before.splice(0, before.length, ...(await stored('atomic')));
  }

  async function send(
    workspace: string,
    path: string,
    body: string,
    type: string,
  ): Promise<{ status: number; text: string }> {
    const headers = { Authorization: `Bearer ${keys.get(workspace) ?? ''}`, 'Content-Type': type };
    const answer = await fetch(`${service.url}/api/v1/workflows/${path}`, { method: 'POST', headers, body });
    return { status: answer.status, text: await answer.text() };
  }

  /** What a POST of this row is answered, said as a batch says it. */
  async function postOne(workflow: string, text: string, row: number): Promise<Line> {
    const before = await versions();
    const { status, text: answer } = await send('single', `${workflow}/tasks`, text, 'application/json');
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
    const after = await versions();
    const isChanged = JSON.stringify(before) !== JSON.stringify(after);
    return {
      row,
      status: status === 201 ? 'created' : isChanged ? 'updated' : 'unchanged',
      unique_id: body.ID ?? null,
    };
  }

  async function versions(): Promise<unknown[]> {
    return service.dataSource.query(
      `SELECT t.id, t.version FROM tasks t JOIN workspaces w ON w.id = t.workspace_id JOIN workflows f ON f.id = t.workflow_id
       WHERE w.slug = 'single' AND f.slug <> 'parts' ORDER BY t.id`,
    );
  }

  /** Everything that is there of a workspace, in the order of creation. */
  async function stored(workspace: string): Promise<unknown[]> {
    return service.dataSource.query(
      `SELECT f.slug, t.unique_value, t.version, s.name AS stage, t.is_active, u.email,
         (SELECT jsonb_object_agg(d.name, t.field_values -> d.id) FROM fields d
          WHERE d.workspace_id = w.id AND t.field_values ? d.id) AS values,
         (SELECT jsonb_agg(i.title ORDER BY i.place) FROM checklist_items i WHERE i.workspace_id = w.id AND i.task_id = t.id) AS items,
         (SELECT jsonb_agg(o.unique_value ORDER BY o.unique_value) FROM links l JOIN tasks o ON o.id = l.to_id
          WHERE l.workspace_id = w.id AND l.from_id = t.id) AS links
       FROM tasks t JOIN workspaces w ON w.id = t.workspace_id
       JOIN workflows f ON f.workspace_id = w.id AND f.id = t.workflow_id
       JOIN stages s ON s.workspace_id = w.id AND s.id = t.stage_id
       LEFT JOIN users u ON u.workspace_id = w.id AND u.id = t.assignee_id
       WHERE w.slug = $1 ORDER BY f.slug, t.id`,
      [workspace],
    );
  }
});

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}
