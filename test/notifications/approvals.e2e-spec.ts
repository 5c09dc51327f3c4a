import { until } from '../support/until.js';
import { acme, type InboxSetting, pageOf, startInbox, tickets } from './inbox.js';

const approve = `      - id: finish
        name: Finish
        stages: [Busy]
        requirements: { approvals: { of: [{ id: check, count: 1, roles: [sees, own] }] } }
        steps: [{ name: Go, type: move_to_stage, stage: Done }]
`;

// Rule: who may decide is asked: when a task enters a stage in which the action is offered, and again when an approval has
// become stale: a notification (reason `approval`) for each who may, once a visit and state.
describe('who may approve is told', () => {
  let setting: InboxSetting;

  beforeAll(async () => {
    setting = await startInbox(acme(approve));
  });
  afterAll(() => setting.stop());

  it('when the task comes to the stage and when an approval has ended; who does not see the task is not', async () => {
    const { api } = setting;
    const [theo, ines] = [await setting.person('theo'), await setting.person('ines')];
    await api.post(tickets, { ID: 'A-1', Stage: 'Busy' }).expect(201);
    // One follower asks, and the other tells.
    await until(async () => (await theo.count()) === 1);
    expect(await theo.lines()).toEqual([expect.stringContaining('* A-1')]);
    // Ines sees only what is assigned to her.
    expect([await ines.lines(), await ines.count()]).toEqual([[], 0]);
    const path = await pageOf(api, 'A-1');
    const page = await theo.browser.get(path);
    const form = page.html.querySelector('.approval form.decide');
    const seen = form?.querySelector('[name="seen"]')?.getAttribute('value') ?? '';
    const decided = { action_id: 'finish', id: 'check', seen, decision: 'approve', comment: '' };
    expect((await theo.browser.post(`${path}/approvals`, decided)).status).toBe(303);
    expect(await theo.count()).toBe(0);
    await api.put(tickets, { ID: 'A-1', Risk: 'High' }).expect(200);
    await until(async () => (await theo.count()) === 1);
    expect(await theo.lines()).toEqual([expect.stringContaining('approval')]);
  });
});
