import { applyDefinition } from '../../src/workflows/definition/apply-definition.js';
import { exportDefinition, renderYaml } from '../../src/workflows/definition/source/write-yaml.js';
import { type JsonMapping } from '../../src/workflows/model/definition-reader.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { compileWorkspace } from '../../src/workflows/model/compile-workspace.js';
import { kinds } from '../../src/workflows/definition/kinds.js';
import { storedDefinition } from '../../src/workflows/model/stored-definition.js';
import { type WorkspaceRows } from '../../src/workflows/model/workspace-rows.js';
import { loadDefinitionRows } from '../../src/workflows/definition/store/load-rows.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';
import { referenceDefinition } from '../support/reference-definition.js';
import { workflowDocument } from '../../src/workflows/docs/workflow-document.js';
import { createTestDatabase } from '../support/database.js';

const database = await createTestDatabase();

describe('an export', () => {
  afterAll(() => database.drop());

  async function rowsOf(slug: string): Promise<WorkspaceRows> {
    const { manager } = database.dataSource;
    const { id } = await manager.findOneByOrFail(WorkspaceEntity, { slug });
    const rows = await loadDefinitionRows(manager, id);
    if (!rows) throw new Error('gone');
    return rows;
  }

  const exported = async (slug: string): Promise<JsonMapping> =>
    exportDefinition(storedDefinition(await rowsOf(slug), kinds));

  async function apply(text: string): Promise<number> {
    return (await applyDefinition(database.dataSource, readDefinition(text, 'f'))).changes.length;
  }

  it('gives the same definition in an empty workspace, and no changes in its own', async () => {
    await apply(JSON.stringify(renamed(referenceDefinition(), 'one')));
    const first = await exported('one');
    expect(await apply(renderYaml(first))).toBe(0);
    expect(await apply(JSON.stringify(first))).toBe(0);
    await apply(renderYaml(renamed(first, 'other')));
    expect(renderYaml(renamed(await exported('other'), 'one'))).toBe(renderYaml(first));
  });

  // Rule: nothing keeps the event loop busy for more than some milliseconds at a time, however large a definition is.
  it('of a large definition lets other work run while it is compiled and described', async () => {
    const ids = Array.from({ length: 30 }, (_, at) => `w${at}`);
    const fields = [{ name: 'ID', type: 'uniqueId', required: true }];
    const workflows = ids.map((id) => ({ id, name: id, stages: [{ name: 'New' }], fields }));
    const relationships = ids.map((id) => ({
      ...{ id, kind: 'many_to_many' },
      from: { workflow: 'w0', name: `To ${id}` },
      to: { workflow: id, name: 'From' },
    }));
    await apply(JSON.stringify({ workspace: { id: 'large' }, workflows, relationships }));
    let pauses = 0;
    const pause = (): undefined => void (pauses += 1);
    const workspace = await compileWorkspace(await rowsOf('large'), 'http://a.test/{id}', pause);
    expect(pauses).toBe(ids.length);
    const workflow = workspace.workflows.get('w0');
    if (!workflow) throw new Error('no workflow');
    pauses = 0;
    await workflowDocument(general, workspace, workflow, pause);
    // Each linked task is made by itself.
    expect(pauses).toBeGreaterThan(ids.length);
  });
});

const general = { openapi: '3.1.0', info: { title: 'Any', version: '1' }, paths: {} };

/** The same for another workspace, which is called by its id where it has no name. */
function renamed(document: JsonMapping, id: string): JsonMapping {
  const { id: _id, ...without } = Object(document.workspace) as JsonMapping;
  return { ...document, workspace: { id, name: 'Any', ...without } };
}
