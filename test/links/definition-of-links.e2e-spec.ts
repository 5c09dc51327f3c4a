import { type Response } from 'supertest';
import { type Client, startServiceWith } from '../support/service.js';

const path = (workflow: string): string => `/api/v1/workflows/${workflow}/tasks`;

/** Companies and people, joined by one relationship of this kind and these ends. */
function workspace(id: string, kind: string, to = 'people', name = 'People'): string {
  return `
workspace: { id: ${id}, name: Acme }
workflows:
${['companies', 'people', 'others'].map((workflow) => `  - { id: ${workflow}, name: ${workflow}, stages: [{ name: Open }], fields: [{ name: ID, type: uniqueId, required: true }] }`).join('\n')}
relationships:
  - { id: staff, kind: ${kind}, from: { workflow: companies, name: ${name} }, to: { workflow: ${to}, name: Company } }
`;
}

const versionIn = ({ headers }: Response): number => Number(/^"(\d+)-/.exec(String(headers['etag']))?.[1]);

const { service } = await startServiceWith([]);

describe('a definition changes relationships with links', () => {
  async function start(id: string, kind: string): Promise<Client> {
    const api = await service.clientOf(workspace(id, kind));
    for (const ID of ['p', 'q']) await api.post(path('people'), { ID }).expect(201);
    for (const ID of ['a', 'b']) await api.post(path('companies'), { ID }).expect(201);
    return api;
  }

  it('a side becomes single only when no task holds several under it', async () => {
    const api = await start('narrowed', 'many_to_many');
    await api.put(path('companies'), { ID: 'a', People: [{ ID: 'p' }, { ID: 'q' }] }).expect(200);
    for (const kind of ['one_to_one', 'many_to_one'])
      await expect(service.apply(workspace('narrowed', kind))).rejects.toThrow(
        `relationship staff: it cannot become ${kind}: 1 task has several links under People`,
      );
    await service.apply(workspace('narrowed', 'one_to_many'));
    expect(await api.read(`${path('people')}/p`)).toMatchObject({ Company: { ID: 'a' } });
    // From now on by the new kind: a person is held by one company only.
    await api.put(path('companies'), { ID: 'b', People: [{ ID: 'p' }] }).expect(200);
    expect(await api.read(`${path('companies')}/a`)).toMatchObject({ People: [{ ID: 'q' }] });
  });

  it('a side becomes multiple at any time', async () => {
    const api = await start('widened', 'one_to_one');
    await api.put(path('companies'), { ID: 'a', People: { ID: 'p' } }).expect(200);
    await service.apply(workspace('widened', 'many_to_many'));
    expect(await api.read(`${path('companies')}/a`)).toMatchObject({ People: [{ ID: 'p' }] });
    await api.put(path('companies'), { ID: 'b', People: [{ ID: 'p' }, { ID: 'q' }] }).expect(200);
    expect(await api.read(`${path('people')}/p`)).toMatchObject({ Company: [{ ID: 'a' }, { ID: 'b' }] });
  });

  it('a relationship joins other workflows if its links may be lost, and tasks get a version', async () => {
    const api = await start('moved', 'many_to_many');
    await api.put(path('companies'), { ID: 'a', People: [{ ID: 'p' }] }).expect(200);
    const moved = workspace('moved', 'many_to_many', 'others');
    await expect(service.apply(moved)).rejects.toThrow(
      'relationship staff: it will link other workflows and loses 1 link',
    );
    const versions = (): Promise<number[]> =>
      Promise.all(['p', 'q'].map(async (id) => versionIn(await api.get(`${path('people')}/${id}`))));
    const [linked = 0, alone = 0] = await versions();
    await service.apply(moved, { allowsDataLoss: true });
    expect(await api.read(`${path('companies')}/a`)).toMatchObject({ People: [] });
    expect(await api.read(`${path('people')}/p`)).not.toHaveProperty('Company');
    expect(await versions()).toEqual([linked + 1, alone]);
  });

  it('a rename keeps all links', async () => {
    const api = await start('renamed', 'one_to_many');
    await api.put(path('companies'), { ID: 'a', People: [{ ID: 'p' }] }).expect(200);
    await service.apply(workspace('renamed', 'one_to_many', 'people', 'Staff'));
    expect(await api.read(`${path('companies')}/a`)).toMatchObject({ Staff: [{ ID: 'p' }] });
  });
});
