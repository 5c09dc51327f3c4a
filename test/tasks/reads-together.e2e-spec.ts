import { startService, type Client, type TestService } from '../support/service.js';

const definition = (title: string): string => `
workspace: { id: acme, name: Acme }
workflows:
  - id: cases
    name: Cases
    stages: [{ name: Open }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: ${title}, was: Title, type: longText }
  - id: parts
    name: Parts
    stages: [{ name: Open }]
    fields: [{ name: Number, type: uniqueId, required: true }, { name: Text, type: longText }]
relationships:
  - { id: of, kind: many_to_many, from: { workflow: parts, name: Parts of }, to: { workflow: parts, name: Has } }
`;

describe('reads at the same time travel together, and each is answered as it would be alone', () => {
  let service: TestService;
  let api: Client;
  const path = (workflow: string, id: string): string => `/api/v1/workflows/${workflow}/tasks/${id}`;
  const read = async (workflow: string, id: string, headers = {}): Promise<unknown[]> => {
    const { status, text, headers: sent } = await api.get(path(workflow, id)).set(headers);
    return [status, text.replace(/"request_id":"[^"]*"/, ''), (sent as { etag?: string }).etag];
  };

  beforeAll(async () => {
    service = await startService();
    await service.apply(definition('Title'));
    api = service.client(await service.key('acme'));
    for (let at = 0; at < 40; at += 1) {
      const others = at === 0 ? [] : new Set([`p${at - 1}`, 'p0']);
      const Has = Array.from(others, (Number) => ({ Number }));
      const part = { Number: `p${at}`, Text: `part ${at}`, Has };
      const written = [
        await api.post('/api/v1/workflows/cases/tasks', { ID: `c${at}`, Title: 'x'.repeat(at * 4000) }),
        await api.post('/api/v1/workflows/parts/tasks', part),
      ];
      expect(written.map(({ status, text }) => status === 201 || text)).toEqual([true, true]);
    }
  });
  afterAll(() => service.stop());

  it.each(['cases', 'parts'])(
    'of %s: the same, others, long ones and such as are not there',
    async (workflow) => {
      const first = workflow[0] ?? '';
      const ids = Array.from({ length: 40 }, (_, at) => `${first}${at}`).concat('none', 'a"b\\c', '%7B%7D');
      const alone: unknown[][] = [];
      for (const id of ids) alone.push(await read(workflow, id));
      expect(new Set(alone.map(([status]) => status))).toEqual(new Set([200, 404]));
      const asked = Array.from({ length: 300 }, (_, at) => (at * 7) % ids.length);
      const together = await Promise.all(asked.map((at) => read(workflow, ids[at] ?? '')));
      expect(together).toEqual(asked.map((at) => alone[at]));
    },
  );

  it('with conditions: 304 for each who has it', async () => {
    const [, , tag] = await read('cases', 'c1');
    const known = { 'If-None-Match': String(tag) };
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) => read('cases', at % 2 ? 'c1' : 'c2', known)),
    );
    expect(answers.map(([status]) => status)).toEqual(
      Array.from({ length: 60 }, (_, at) => (at % 2 ? 304 : 200)),
    );
  });

  it('sees what was acknowledged before', async () => {
    const writers = Array.from({ length: 40 }, async (_, at) => {
      for (let round = 0; round < 5; round += 1) {
        await api.put('/api/v1/workflows/parts/tasks', { Number: `p${at}`, Text: `round ${round}` });
        const [status, text] = await read('parts', `p${at}`);
        expect([status, text]).toEqual([200, expect.stringContaining(`"Text":"round ${round}"`)]);
      }
    });
    await Promise.all(writers);
  });

  it('shows each by a definition that is in force, while another is applied', async () => {
    const names = new Set<string>();
    let isApplied = false;
    const readers = Array.from({ length: 40 }, async (_, at) => {
      while (!isApplied) {
        const [status, text] = await read('cases', `c${at}`);
        expect(status).toBe(200);
        for (const name of Object.keys(JSON.parse(String(text)) as object)) names.add(name);
      }
    });
    await service.apply(definition('Subject'));
    isApplied = true;
    await Promise.all(readers);
    const [, text] = await read('cases', 'c3');
    expect(Object.keys(JSON.parse(String(text)) as object)).toContain('Subject');
    expect([...names].filter((name) => !['Title', 'Subject'].includes(name)).sort()).toEqual([
      'Assigned To',
      'ID',
      'Stage',
      'Task URL',
    ]);
  });
});
