import { applyDefinition } from '../../src/workflows/definition/apply-definition.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { type Client, startService } from '../support/service.js';

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

const service = await startService();
afterAll(() => service.stop());

describe('a definition changes under links', () => {
  async function start(id: string, kind: string): Promise<Client> {
    const api = await service.clientOf(workspace(id, kind));
    for (const ID of ['p', 'q']) await api.post(path('people'), { ID }).expect(201);
    for (const ID of ['a', 'b']) await api.post(path('companies'), { ID }).expect(201);
    return api;
  }

  it('a side becomes single only when no task holds several under it', async () => {
    const api = await start('narrowed', 'many_to_many');
    await api.put(path('companies'), { ID: 'a', People: [{ ID: 'p' }, { ID: 'q' }] }).expect(200);
    await expect(service.apply(workspace('narrowed', 'one_to_one'))).rejects.toThrow(
      'relationship staff: it cannot become one_to_one: 1 task holds several under People',
    );
    await expect(service.apply(workspace('narrowed', 'many_to_one'))).rejects.toThrow(
      'relationship staff: it cannot become many_to_one: 1 task holds several under People',
    );
    await service.apply(workspace('narrowed', 'one_to_many'));
    const { body } = await api.get(`${path('people')}/p`).expect(200);
    expect(body).toMatchObject({ Company: { ID: 'a' } });
    // From now on by the new kind: a person is held by one company only.
    await api.put(path('companies'), { ID: 'b', People: [{ ID: 'p' }] }).expect(200);
    expect((await api.get(`${path('companies')}/a`).expect(200)).body).toMatchObject({
      People: [{ ID: 'q' }],
    });
  });

  it('a side becomes multiple at any time', async () => {
    const api = await start('widened', 'one_to_one');
    await api.put(path('companies'), { ID: 'a', People: { ID: 'p' } }).expect(200);
    await service.apply(workspace('widened', 'many_to_many'));
    expect((await api.get(`${path('companies')}/a`).expect(200)).body).toMatchObject({
      People: [{ ID: 'p' }],
    });
    await api.put(path('companies'), { ID: 'b', People: [{ ID: 'p' }, { ID: 'q' }] }).expect(200);
    expect((await api.get(`${path('people')}/p`).expect(200)).body).toMatchObject({
      Company: [{ ID: 'a' }, { ID: 'b' }],
    });
  });

  it('a relationship joins other workflows only while it has no links', async () => {
    const api = await start('moved', 'many_to_many');
    await api.put(path('companies'), { ID: 'a', People: [{ ID: 'p' }] }).expect(200);
    await expect(service.apply(workspace('moved', 'many_to_many', 'others'))).rejects.toThrow(
      'relationship staff: it will join other workflows and loses 1 link',
    );
    await api.put(path('companies'), { ID: 'a', People: [] }).expect(200);
    await service.apply(workspace('moved', 'many_to_many', 'others'));
    expect((await api.get(`${path('companies')}/a`).expect(200)).body).toMatchObject({ People: [] });
    expect((await api.get(`${path('people')}/p`).expect(200)).body).not.toHaveProperty('Company');
  });

  it('or where the links may be lost, which counts a version of the tasks that had them', async () => {
    const api = await start('let-go', 'many_to_many');
    await api.put(path('companies'), { ID: 'a', People: [{ ID: 'p' }] }).expect(200);
    const tags = async (): Promise<unknown[]> =>
      Promise.all(['p', 'q'].map(async (id) => (await api.get(`${path('people')}/${id}`)).headers['etag']));
    const versions = (list: unknown[]): number[] =>
      list.map((tag) => Number(/^"(\d+)-/.exec(String(tag))?.[1]));
    const [linked = 0, alone = 0] = versions(await tags());
    const source = readDefinition(workspace('let-go', 'many_to_many', 'others'), 'file.yaml');
    await applyDefinition(service.dataSource, source, { allowsDataLoss: true });
    expect((await api.get(`${path('companies')}/a`).expect(200)).body).toMatchObject({ People: [] });
    expect(versions(await tags())).toEqual([linked + 1, alone]);
  });

  it('another name costs no link', async () => {
    const api = await start('renamed', 'one_to_many');
    await api.put(path('companies'), { ID: 'a', People: [{ ID: 'p' }] }).expect(200);
    await service.apply(workspace('renamed', 'one_to_many', 'people', 'Staff'));
    expect((await api.get(`${path('companies')}/a`).expect(200)).body).toMatchObject({
      Staff: [{ ID: 'p' }],
    });
  });
});
