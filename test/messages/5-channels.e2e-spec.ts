import { applyDefinition } from '../../src/workflows/definition/apply-definition.js';
import { planDefinition } from '../../src/workflows/definition/plan-definition.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { exportDefinition } from '../../src/workflows/definition/source/write-yaml.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';
import { kinds } from '../../src/workflows/definition/kinds.js';
import { storedDefinition } from '../../src/workflows/model/stored-definition.js';
import { loadDefinitionRows } from '../../src/workflows/definition/store/load-rows.js';
import { createTestDatabase } from '../support/database.js';

const file = (channels: readonly object[]): string =>
  `workspace: { id: acme, name: Acme }\nchannels: ${JSON.stringify(channels)}\n`;
const ops = { id: 'ops', type: 'slack', url: '{{secret.OPS}}' };
const audit = { id: 'audit', type: 'webhook', url: 'https://audit.acme.test' };

const database = await createTestDatabase();

// Rule (time.md 8): exported, planned (old → new), pruned, renamed with what they name.
describe('channels of a definition', () => {
  afterAll(() => database.drop());

  const apply = (text: string, isPruning = false) =>
    applyDefinition(database.dataSource, readDefinition(text, 'f'), { isPruning });
  async function stored() {
    const { id } = await database.dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug: 'acme' });
    const rows = await loadDefinitionRows(database.dataSource.manager, id);
    if (!rows) throw new Error('gone');
    return exportDefinition(storedDefinition(rows, kinds));
  }

  it('are stored, exported, planned old to new, kept where a file does not name them, and pruned', async () => {
    await apply(file([ops, audit]));
    expect((await stored())['channels']).toEqual([ops, audit]);
    const moved = file([{ ...ops, type: 'teams' }]);
    const { changes } = await planDefinition(database.dataSource, readDefinition(moved, 'f'));
    const alterations = [{ at: 'type', before: 'slack', after: 'teams' }];
    expect(changes).toMatchObject([{ kind: 'change', what: 'channel', name: 'ops', alterations }]);
    await apply(moved);
    expect((await stored())['channels']).toEqual([{ ...ops, type: 'teams' }, audit]);
    await apply(moved, true);
    expect((await stored())['channels']).toEqual([{ ...ops, type: 'teams' }]);
  });
});
