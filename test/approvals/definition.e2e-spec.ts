import { kinds } from '../../src/workflows/definition/kinds.js';
import { storedDefinition } from '../../src/workflows/model/stored-definition.js';
import { loadDefinitionRows } from '../../src/workflows/definition/store/load-rows.js';
import { applyDefinition } from '../../src/workflows/definition/apply-definition.js';
import { Absences } from '../../src/workflows/definition/absences.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { exportDefinition, renderYaml } from '../../src/workflows/definition/source/write-yaml.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';
import { startApprovals, vendors } from './approvals.js';

const legal = 'id: legal, count: 2, roles: [legal], covers: [Amount]';

const { service, api, applyGroups, groupOf, decide } = await startApprovals([legal]);

describe('approvals in a definition', () => {
  /** A file that says something of the vendors alone. */
  const file = (text: string): string => `
workspace: { id: acme }
workflows:
  - id: vendors
    name: Vendors
${text}`;

  const apply = async (yaml: string, options = {}): Promise<unknown> =>
    applyDefinition(service.dataSource, readDefinition(yaml, 'test.yaml'), options);

  async function stored() {
    const { manager } = service.dataSource;
    const { id } = await manager.findOneByOrFail(WorkspaceEntity, { slug: 'acme' });
    const rows = await loadDefinitionRows(manager, id);
    if (!rows) throw new Error('no workspace');
    return storedDefinition(rows, kinds);
  }

  const groupsIn = async (): Promise<unknown> => {
    const { workflows } = await stored();
    const approve = workflows[0]?.actions.find(({ id }) => id === 'approve');
    return (approve?.requirements['approvals'] as { of?: unknown } | undefined)?.of;
  };

  it('are refused if they name unknown elements, with the place', async () => {
    for (const [group, reason] of [
      ['id: legal, roles: [legl]', /is not a role of workflow vendors: legl.*legal/s],
      [
        'id: legal, roles: [legal], not: [creatr]',
        /creator, editors, performer: creatr; did you mean creator/,
      ],
      ['id: legal, roles: [legal], covers: [Nothing]', 'is neither a field nor a relationship'],
      ['id: legal, users: [nobody@acme.test]', 'is not a user of this workspace'],
      ['id: legal, field: Note', 'is not a person field: Note'],
      ['id: legal', 'does not say who may approve: write roles, users or field'],
      ['id: legal, roles: [legal], count: 0', 'count'],
    ] as const)
      await expect(applyGroups([group])).rejects.toThrow(reason);
    await expect(applyGroups([legal, legal])).rejects.toThrow('is the id of another group');
    const rule = 'id: r, on: approval_complete, action: note, run: rate';
    await expect(applyGroups([legal], { rules: [rule] })).rejects.toThrow('needs no approvals: note');
  });

  it('of people are refused without a console to sign in to', async () => {
    const faultsOf = async (group: string): Promise<string> => {
      const text = `    actions: [{ id: approve, name: Approve, requirements: { approvals: { of: [{ ${group} }] } } }]`;
      return service.plan(file(text), { hasConsole: false }).then(() => '', String);
    };
    expect(await faultsOf('id: legal, roles: [legal]')).toContain('WTS_CONSOLE is off. Write `by: anyone`');
    expect(await faultsOf('id: legal, roles: [legal], by: anyone')).toBe('');
  });

  it('keep their evidence when users and covered fields are renamed, and after export and prune', async () => {
    await applyGroups([`${legal}, not: [Owner]`]);
    await api.post(vendors, { 'Vendor ID': 'V-1', Stage: 'Review' }).expect(201);
    await decide('theo', 'V-1', { comment: 'fine' });
    await apply(`
workspace: { id: acme }
users: [{ email: theodor@acme.test, was: theo@acme.test }]
workflows:
  - { id: vendors, name: Vendors, fields: [{ name: Sum, was: Amount, type: currency }, { name: Keeper, was: Owner, type: person }] }`);
    expect(await groupsIn()).toMatchObject([{ covers: ['Sum'], not: ['Keeper'] }]);
    const evidence = { given: 1, decisions: [{ by: 'theodor@acme.test', comment: 'fine', state: 'counts' }] };
    expect(await groupOf('V-1')).toMatchObject(evidence);
    await apply(renderYaml(exportDefinition(await stored())));
    expect(await groupOf('V-1')).toMatchObject(evidence);
    const { users, ...rest } = await stored();
    const isOther = ({ email }: { email: string }): boolean => email !== 'theodor@acme.test';
    const workflows = rest.workflows.map((one) => ({ ...one, members: one.members.filter(isOther) }));
    const without = exportDefinition({ ...rest, workflows, users: users.filter(isOther) });
    await apply(renderYaml(without), { isPruning: true, allowsDataLoss: true });
    expect(await groupOf('V-1')).toMatchObject({
      given: 0,
      decisions: [{ by: 'theodor@acme.test', state: 'ineligible' }],
    });
  });

  it('let people enter their own absence, which a file keeps unless it mentions absences', async () => {
    const user = { email: 'ines@acme.test' };
    const absences = service.app.get(Absences, { strict: false });
    const { manager } = service.dataSource;
    const workspace = await manager.findOneByOrFail(WorkspaceEntity, { slug: 'acme' });
    const absence = { from: '2026-12-01', until: '2026-12-15', to: 'mina@acme.test' };
    const away = async (): Promise<unknown> =>
      (await stored()).users.find(({ email }) => email === user.email)?.away;
    await absences.replace(workspace, user, absence);
    expect(await away()).toEqual(absence);
    await apply(
      '{ workspace: { id: acme }, users: [{ email: ines@acme.test }, { email: minna@acme.test, was: mina@acme.test }] }',
    );
    expect(await away()).toEqual({ ...absence, to: 'minna@acme.test' });
    await absences.replace(workspace, user, null);
    expect(await away()).toBeUndefined();
  });
});
