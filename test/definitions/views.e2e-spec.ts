import { applyDefinition } from '../../src/workflows/definition/apply-definition.js';
import { planDefinition } from '../../src/workflows/definition/plan-definition.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { exportDefinition, renderYaml } from '../../src/workflows/definition/source/write-yaml.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';
import { kinds } from '../../src/workflows/definition/kinds.js';
import { storedDefinition } from '../../src/workflows/model/stored-definition.js';
import { loadDefinitionRows } from '../../src/workflows/definition/store/load-rows.js';
import { createTestDatabase } from '../support/database.js';

const acme = (views: string, stage = '{ name: Open }', risk = '{ name: Risk, type: text }'): string => `
workspace: { id: acme }
workflows:
  - id: vendors
    name: Vendors
    stages: [${stage}, { name: Done, end: true }]
    fields: [{ name: Vendor ID, type: uniqueId, required: true }, ${risk}]
    clocks: [{ id: late, while: { stages: [Done] }, budget: 1 day }]
  - id: orders
    name: Orders
    stages: [{ name: New }]
    fields: [{ name: Order, type: uniqueId, required: true }]
relationships:
  - { id: orders, kind: one_to_many, from: { workflow: vendors, name: Orders }, to: { workflow: orders, name: Vendor } }
views:
${views}
`;
const risky = `  - { id: risky, name: Risky ones, workflow: vendors, as: list, query: Risk=High&Stage=Open&_sort=-Risk&_overdue=late, columns: [ Risk, Stage ] }`;
const all = `  - { id: all, name: All, workflow: vendors }`;

const database = await createTestDatabase();

describe('"views: [{ id, name, workflow, as: board | list, query, columns }]" of a definition', () => {
  afterAll(() => database.drop());

  const plan = (text: string) => planDefinition(database.dataSource, readDefinition(text, 'f'));
  const apply = async (text: string, isPruning = false): Promise<string[]> =>
    (await applyDefinition(database.dataSource, readDefinition(text, 'f'), { isPruning })).changes.map(({ kind, what, name, detail }) => [kind, what, name, detail].filter(Boolean).join(' ')); // prettier-ignore
  async function exported(): Promise<string> {
    const { manager } = database.dataSource;
    const { id } = await manager.findOneByOrFail(WorkspaceEntity, { slug: 'acme' });
    const rows = await loadDefinitionRows(manager, id);
    if (!rows) throw new Error('gone');
    return renderYaml(exportDefinition(storedDefinition(rows, kinds)));
  }

  it('are planned, applied, exported and pruned as other parts are', async () => {
    expect((await plan(acme(`${risky}\n${all}`))).warnings).toEqual([]);
    await apply(acme(`${risky}\n${all}`));
    expect(await apply(acme(`${risky}\n${all}`))).toEqual([]);
    expect(await exported()).toContain(`\nviews:\n${risky}\n${all}\n`);
    expect(await apply(acme(all.replace('All', 'Everything')))).toEqual(['change view all name from All to Everything']); // prettier-ignore
    expect(await apply(acme(risky), true)).toEqual(['remove view all']);
    expect(await exported()).not.toContain('Everything');
  });

  it('follow what fields and stages are called', async () => {
    await apply(acme(risky));
    const renamed = acme(all, '{ name: Begun, was: Open }', '{ name: Peril, was: Risk, type: text }');
    await apply(renamed);
    expect(await exported()).toContain(`query: Peril=High&Stage=Begun&_sort=-Peril&_overdue=late, columns: [ Peril, Stage ]`); // prettier-ignore
    await apply(acme(risky, '{ name: Open, was: Begun }', '{ name: Risk, was: Peril, type: text }'));
  });

  it('are warned of where their query no longer fits, and refused where they cannot be', async () => {
    const unfit = `  - { id: odd, name: Odd, workflow: orders, query: 'Colour=red&Vendor.Risk=High&Vendor.Stag=1&_sort=Size', columns: [Order, Weight] }`;
    const { warnings } = await plan(acme(unfit));
    expect(warnings.map(({ path, message }) => `${path}: ${message}`).sort()).toEqual([
      'views[0].columns: _fields contains a name that is not a field of this workflow: Weight',
      'views[0].query: Colour is not a field of this workflow',
      'views[0].query: Vendor.Stag is not a field of the tasks linked there; did you mean Vendor.Stage?',
      'views[0].query: _sort contains a name that is not a field of this workflow: Size',
    ]);
    const wrong = `  - { id: a, name: A, workflow: vendor }\n  - { id: a, name: ' B', workflow: orders, as: chart }`;
    await expect(plan(acme(wrong))).rejects.toThrow(
      /views\[0\]\.workflow: is not a workflow of this workspace: vendor.*views\[1\]\.as.*views\[1\]/s,
    );
  });
});
