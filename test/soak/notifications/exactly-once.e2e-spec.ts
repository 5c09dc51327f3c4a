import { startOtherProcess } from '../../support/other-process.js';
import { until } from '../../support/until.js';
import { acme, type InboxSetting, pageOf, startInbox, tickets } from '../../notifications/inbox.js';
import { testOptions } from '../../support/test-options.js';

/** Waits until the workers have followed everything that has happened so far. */
async function followed({ service }: InboxSetting): Promise<void> {
  await until('the notifications are up to date', async () => {
    const [row] = await service.dataSource.query<{ done: boolean }[]>(
      `SELECT bool_and(f.position >= n.last_position) AS done FROM workspaces w
       JOIN followers f ON f.workspace_id = w.id AND f.name = 'notifications'
       CROSS JOIN LATERAL number_events(w.id) n`,
    );
    return row?.done === true;
  });
}

/** All that was told, by user and reason. */
async function told({ service }: InboxSetting): Promise<object> {
  const rows = await service.dataSource.query<{ name: string; count: number }[]>(
    `SELECT split_part(u.email, '@', 1) || ' ' || n.reason AS name, count(*)::integer AS count
     FROM notifications n JOIN users u ON u.workspace_id = n.workspace_id AND u.id = n.user_id GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

it('two processes tell each event once, even if followers fail', async () => {
  const setting = await startInbox(acme(), { WTS_ROLE: 'api', ...testOptions({ leaseMs: 1000 }) });
  const { api, service } = setting;
  const environment = {
    WTS_ROLE: 'worker',
    ...testOptions({ leaseMs: 1000 }),
    WTS_BLOB_STORE: service.config.blobStore ?? '',
  };
  const start = () => startOtherProcess(String(service.config.databaseUrl), environment);
  const workers = await Promise.all([start(), start()]);
  const make = async (n: number): Promise<void> => {
    await api.post(tickets, { ID: `T-${n}`, 'Assigned To': 'theo@acme.test' }).expect(201);
    await api.post(`${tickets}/T-${n}/comments`, { body: 'Hm, @mina@acme.test' }).expect(201);
  };
  for (let n = 0; n < 120; n += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, at) => make(n + at)));
    if (n === 60) await workers[0].kill();
  }
  await followed(setting);
  expect(await told(setting)).toEqual({ 'theo assigned': 120, 'theo watching': 120, 'mina mentioned': 120 });
  const [watchers] = await service.dataSource.query<object[]>('SELECT count(*)::integer FROM watchers');
  expect(watchers).toEqual({ count: 240 });
  await workers[1].stop();
  await setting.stop();
});

it('forms of one line that come at once leave it in a state that one of them has asked for', async () => {
  const setting = await startInbox();
  const theo = await setting.person('theo');
  await setting.api.post(tickets, { ID: 'T-1', 'Assigned To': 'theo@acme.test' }).expect(201);
  await setting.api.post(`${tickets}/T-1/comments`, { body: 'Hm' }).expect(201);
  await followed(setting);
  const path = await pageOf(setting.api, 'T-1');
  const deeds = ['read', 'unread', 'read', 'unread', 'tomorrow', 'read', 'unread', 'done'];
  const statuses = await Promise.all([
    ...deeds.map((deed) => theo.does('T-1', { do: deed })),
    theo.browser.get(path).then(({ status }) => status),
    ...['on', 'muted', 'on'].map((state) =>
      theo.browser.post(`${path}/watch`, { state }).then(({ status }) => status),
    ),
  ]);
  // 422: the inbox did not show the line by then, as it was done or asleep until tomorrow.
  expect(statuses.filter((status) => ![200, 303, 404, 422].includes(status))).toEqual([]);
  if (statuses[deeds.indexOf('done')] === 303) expect(await theo.lines()).toEqual([]);
  await setting.stop();
});
