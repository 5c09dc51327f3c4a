import { startApprovals, vendors } from './approvals.js';

const rules = ['id: go-on, on: approval_complete, action: approve, run: note'];
const legal = (count: number): string => `id: legal, count: ${count}, roles: [legal], covers: [Amount]`;
const above = (limit: number): string => `${legal(1)}, when: 'task["Amount"] > ${limit}'`;

const { service, api, applyGroups, eventsOf, override, planned, decide } = await startApprovals([legal(2)], {
  rules,
});

// Rule: what is under way goes on under the new definition, and the plan says how.
describe('approvals that a new definition completes', () => {
  const vendor = async (id: string): Promise<void> => {
    await api.post(vendors, { 'Vendor ID': id, Stage: 'Review', Amount: '10' }).expect(201);
    await service.settle();
  };
  const completed = async (id: string): Promise<unknown[]> => {
    await service.settle();
    return (await eventsOf(id)).filter(({ type }) => type === 'approval.complete');
  };
  const noted = (id: string): Promise<unknown> => api.read(`${vendors}/${id}`);

  it('by a lower count fire approval_complete at the apply, once', async () => {
    await vendor('V-1');
    await vendor('V-2');
    await decide('theo', 'V-1');
    const told = 'action vendors / approve: 2 tasks wait for its approvals: 1 complete at once';
    expect(await planned([legal(1)], { rules })).toEqual([told]);
    await applyGroups([legal(1)], { rules });
    expect(await completed('V-1')).toMatchObject([{ data: { actor: { kind: 'definition' } } }]);
    expect(await noted('V-1')).toMatchObject({ Note: 'noted' });
    expect(await noted('V-2')).toMatchObject({ Note: null });
    await applyGroups([`${legal(1)}, by: anyone`], { rules });
    expect(await completed('V-1')).toHaveLength(1);
  });

  it('by another condition, which needs no approval any more, fire it, too', async () => {
    await applyGroups([above(5)], { rules });
    await vendor('V-3');
    await applyGroups([above(100)], { rules });
    await applyGroups([above(200)], { rules });
    expect(await completed('V-3')).toHaveLength(1);
    expect(await noted('V-3')).toMatchObject({ Note: 'noted' });
  });

  it('fire nothing where an administrator has set them aside', async () => {
    await applyGroups([legal(2)], { rules });
    await vendor('V-5');
    await override('otto', 'V-5');
    await applyGroups([legal(1)], { rules });
    expect(await completed('V-5')).toEqual([]);
  });

  it('of an action that goes are counted by the plan', async () => {
    await applyGroups([legal(2)]);
    await vendor('V-4');
    await decide('theo', 'V-4');
    // Of V-1 and V-4.
    const told = await planned([legal(2)], { approve: 'other' });
    expect(told).toContain('action vendors / approve: 2 approvals will count for nothing');
  });
});
