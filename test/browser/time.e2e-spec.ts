import { type Browser } from 'playwright-core';
import { linkFor } from '../support/console.js';
import { type Client, startService, type TestService } from '../support/service.js';
import { describeInBrowser, launch, resize, signedIn, violations } from './chromium.js';
import { until } from '../support/until.js';

const tickets = '/api/v1/workflows/tickets/tasks';

const definition = `
workspace: { id: acme, name: Acme, timezone: UTC }
users: [{ email: mina@acme.test, first_name: Mina }]
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Waiting }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Title, type: text }
      - { name: Risk, type: singleSelect, options: [Low, High] }
      - { name: Close By, type: datetime }
    roles: [{ id: lead, name: Lead, admin: true }]
    members: [{ email: mina@acme.test, role: lead }]
    actions:
      - { id: page, name: Page on-call, steps: [{ name: Note, type: update_fields, set: { Title: The server room is flooded } }] }
    rules: [{ id: high-risk, on: field_changed, field: Risk, to: High, run: page }]
    clocks:
      - { id: close, due: { field: Close By }, pauses: { stages: [Waiting] } }
      - { id: first-answer, starts: { stages: [New] }, pauses: { stages: [Waiting] }, budget: 10 hours }
    schedules: [{ id: stale, cron: "0 6 * * *", for: "Stage=Waiting", run: page }]
`;

describeInBrowser('what happens by itself in a browser', () => {
  let service: TestService;
  let api: Client;
  let browser: Browser;
  let path: string;
  beforeAll(async () => {
    service = await startService({ WTS_HOST: '127.0.0.1' });
    await service.apply(definition);
    api = service.client(await service.key('acme'));
    const closeBy = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
    const mine = { Risk: 'Low', 'Assigned To': 'mina@acme.test' };
    const { body } = await api.post(tickets, { ID: 'T-1', ...mine, 'Close By': closeBy(-5) }).expect(201);
    path = new URL((body as { 'Task URL': string })['Task URL']).pathname;
    await api
      .post(tickets, { ID: 'T-2', Title: 'A long wait', ...mine, 'Close By': closeBy(72) })
      .expect(201);
    await api.post(tickets, { ID: 'T-1', Risk: 'High' }).expect(200);
    await until('a run and an overdue clock', async () => {
      const [runs, clocks, overdue] = await Promise.all(
        [`${tickets}/T-1/runs`, `${tickets}/T-2/clocks`, `${tickets}?_overdue=true`].map((url) =>
          api.get(url),
        ),
      );
      return [runs, clocks, overdue].every((answer) => (answer?.body as unknown[]).length > 0);
    });
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  it.each(['light', 'dark'] as const)('its pages are accessible, %s and narrow too', async (colorScheme) => {
    const { page, context, complaints } = await signedIn(
      browser,
      service.url,
      await linkFor(service, 'mina@acme.test'),
      { colorScheme },
    );
    const pages = ['/', '/workflows/tickets', path, '/admin/rules', '/admin/rules/tickets/high-risk?task=T-1', '/admin/rules/tickets/high-risk?task=none', '/admin/schedules', '/admin/schedules/tickets/stale']; // prettier-ignore
    for (const at of pages) {
      await resize(page, 1280, 900);
      await page.goto(service.url + at);
      await page.evaluate(
        'document.querySelectorAll("details.history").forEach((each) => (each.open = true))',
      );
      expect([at, await violations(page)]).toEqual([at, []]);
      await resize(page, 320, 700);
      expect([at, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([at, 320]);
      expect([at, await violations(page)]).toEqual([at, []]);
    }
    expect(complaints).toEqual([]);
    await context.close();
  });
});
