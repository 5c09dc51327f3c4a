import fc from 'fast-check';
import { applyDefinition } from '../../src/definitions/apply-definition.js';
import { exportDefinition, renderYaml } from '../../src/definitions/source/write-yaml.js';
import { type JsonMapping } from '../../src/workspace/shape.js';
import { readDefinition } from '../../src/definitions/source/read-definition.js';
import { storedDefinition, loadWorkspaceRows } from '../../src/workspace/workspace-rows.js';
import { WorkspaceEntity } from '../../src/entities/workspace.entity.js';
import { anyDefinition } from '../support/any-definition.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

describe('an export', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  async function exported(slug: string): Promise<JsonMapping> {
    const { manager } = database.dataSource;
    const { id } = await manager.findOneByOrFail(WorkspaceEntity, { slug });
    const rows = await loadWorkspaceRows(manager, id);
    if (!rows) throw new Error('gone');
    return exportDefinition(storedDefinition(rows));
  }

  async function apply(text: string): Promise<number> {
    return (await applyDefinition(database.dataSource, readDefinition(text, 'f'))).length;
  }

  it('that is applied to an empty workspace gives the same definition again; to its own, no changes', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(anyDefinition('one'), async (document) => {
        count += 1;
        const [one, other] = [`one-${count}`, `other-${count}`];
        await apply(JSON.stringify(renamed(document, one)));
        const first = await exported(one);
        expect(await apply(renderYaml(first))).toBe(0);
        expect(await apply(JSON.stringify(first))).toBe(0);
        await apply(renderYaml(renamed(first, other)));
        const second = await exported(other);
        expect(renamed(second, one)).toEqual(first);
        expect(renderYaml(renamed(second, one))).toBe(renderYaml(first));
      }),
      { numRuns: 20, endOnFailure: true },
    );
  }, 120_000);
});

/** The same for another workspace, which is called by its id where it has no name. */
function renamed(document: JsonMapping, id: string): JsonMapping {
  const { id: _id, ...without } = Object(document.workspace) as JsonMapping;
  return { ...document, workspace: { id, name: 'Any', ...without } };
}
