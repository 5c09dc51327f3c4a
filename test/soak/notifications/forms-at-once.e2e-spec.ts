import { acme, pageOf, startInbox, tickets } from '../../notifications/inbox.js';
import { until } from '../../support/until.js';

it('forms of one line of an inbox that come at once leave it in a state that one of them has asked for', async () => {
  const setting = await startInbox(acme());
  const theo = await setting.person('theo');
  await setting.api.post(tickets, { ID: 'T-1', 'Assigned To': 'theo@acme.test' }).expect(201);
  await setting.api.post(`${tickets}/T-1/comments`, { body: 'Hm' }).expect(201);
  const told = 'SELECT FROM notifications';
  await until('both are told', async () => (await setting.service.dataSource.query<unknown[]>(told)).length === 2); // prettier-ignore
  const path = await pageOf(setting.api, 'T-1');
  const changes = ['read', 'unread', 'read', 'unread', 'tomorrow', 'read', 'unread', 'done'];
  const statuses = await Promise.all([
    ...changes.map((change) => theo.does('T-1', { do: change })),
    theo.browser.get(path).then(({ status }) => status),
    ...['on', 'muted', 'on'].map((state) =>
      theo.browser.post(`${path}/watch`, { state }).then(({ status }) => status),
    ),
  ]);
  // 422: the inbox did not show the line by then, as it was done or asleep until tomorrow.
  expect(statuses.filter((status) => ![200, 303, 404, 422].includes(status))).toEqual([]);
  if (statuses[changes.indexOf('done')] === 303) expect(await theo.lines()).toEqual([]);
  await setting.stop();
});
