import { signIn } from '../support/console.js';
import { startServiceWith } from '../support/service.js';

const claims = (stages: string): string => `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
workflows:
  - id: claims
    name: Claims
    stages: [${stages}]
    fields: [{ name: Claim ID, type: uniqueId, required: true }]
    roles: [{ id: all, name: All, admin: true }]
    members: [{ email: mina@acme.test, role: all }]
`;
const withdrawn = '{ name: Withdrawn, end: true, outcome: dropped }';
const definition = claims(
  `{ name: New }, { name: Paid, end: true, outcome: done }, ${withdrawn}, { name: Lost, end: true }`,
);

const { service } = await startServiceWith(definition);

describe('"Stages: outcome: done | dropped of an end stage (default done)"', () => {
  it('the whole definition shows stages for dropped tasks, and lists of stages are unchanged', async () => {
    const api = service.client(await service.key('acme'));
    const { body } = await api.get('/api/v1/workflows/claims').expect(200);
    const [, paid, dropped] = (body as { stages: object[] }).stages;
    expect([paid, dropped]).toEqual([
      { name: 'Paid', initial: false, end: true, enter: 'freely' },
      { name: 'Withdrawn', initial: false, end: true, outcome: 'dropped', enter: 'freely' },
    ]);
    const listed = await api.get('/api/v1/workflows/claims/stages').expect(200);
    expect(listed.body).toEqual(['New', 'Paid', 'Withdrawn', 'Lost'].map((name) => ({ name })));
  });

  it('a dropped task is not active, as any other ended task', async () => {
    const api = service.client(await service.key('acme'));
    for (const [id, Stage] of [
      ['C-1', 'New'],
      ['C-2', 'Paid'],
      ['C-3', 'Withdrawn'],
    ])
      // prettier-ignore
      await api.post('/api/v1/workflows/claims/tasks', { 'Claim ID': id, Stage }).expect(201);
    expect(await api.read('/api/v1/workflows/claims/tasks/active?_fields=Stage')).toEqual([{ Stage: 'New' }]);
  });

  it.each(['/workflows/claims', '/workflows/claims/list?_fields=Stage'])(
    '%s has another sign for a dropped task than for a done one',
    async (path) => {
      const mina = await signIn(service, 'mina@acme.test');
      const { html } = await mina.get(path);
      const signs = html.querySelectorAll('.stage').map((stage) => [
        stage.querySelector('.stage-name')?.text,
        stage.querySelector('.stage-mark')?.classNames.replace('stage-mark ', ''),
      ]); // prettier-ignore
      expect(signs).toContainEqual(['Paid', 'done']);
      expect(signs).toContainEqual([expect.stringMatching(/^Withdrawn( \(dropped\))?$/), 'dropped']);
    },
  );
});
