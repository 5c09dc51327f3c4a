import { type RulesSetting, shows, startRules, tickets } from './rules.js';

// time.md, 2: a rule starts an action when something happens.
let setting: RulesSetting;
afterEach(() => setting.stop());

it('starts an action when a field changes as the rule says', async () => {
  setting = await startRules(['id: risk-up, on: field_changed, field: Risk, from: [Low, Medium], to: High, run: assign-mina']);
  await setting.api.post(tickets, { ID: '1', Risk: 'Low' }).expect(201);
  await setting.api.post(tickets, { ID: '1', Risk: 'High' }).expect(200);
  await shows(setting.api, `${tickets}/1`, { 'Assigned To': 'mina@acme.test' });
});

it('judges `when` by the task as the event left it', async () => {
  setting = await startRules([`id: big, on: created, when: 'task["Value"] > 1000', run: review`]);
  await setting.api.post(tickets, { ID: 'small', Value: 10 }).expect(201);
  await setting.api.post(tickets, { ID: 'big', Value: 2000 }).expect(201);
  await shows(setting.api, `${tickets}/big`, { Stage: 'Review' });
  await shows(setting.api, `${tickets}/small`, { Stage: 'New' });
});
