import { spawn } from 'node:child_process';
import {
  type Entered,
  formsPath,
  type FormsSetting,
  hiddenIn,
  type Page,
  post,
  startForms,
  tasksPath,
} from '../../forms/forms.js';

const vendor = { 'Vendor Name': 'Nordwind', Website: 'https://nordwind.example' };

describe('many forms at once', () => {
  let setting: FormsSetting;
  beforeEach(async () => {
    setting = await startForms();
  });
  afterEach(() => setting.service.stop());

  /** Does this for every number, so many at a time. */
  async function side(count: number, atOnce: number, work: (n: number) => Promise<unknown>): Promise<void> {
    let next = 0;
    const line = async (): Promise<void> => {
      while (next < count) await work(next++);
    };
    await Promise.all(Array.from({ length: atOnce }, line));
  }
  const send = (page: Page, entered: Entered) =>
    post(setting.service.app.getHttpServer(), page.path, { ...hiddenIn(page), ...entered });
  async function pages(count: number): Promise<Page[]> {
    const path = await setting.path();
    const opened: Page[] = [];
    await side(count, 20, async () => opened.push(await setting.open(path)));
    await setting.service.settle({ after: 5000 });
    return opened;
  }

  it('1,000 at once against `per_day: 200` make exactly 200', async () => {
    const opened = await pages(1000);
    const statuses = new Map<number, number>();
    await side(1000, 200, async (n) => {
      const page = opened[n];
      const status = page ? (await send(page, vendor)).status : 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    expect(await setting.tasks()).toHaveLength(200);
    expect([statuses.get(200), [...statuses.keys()].every((status) => [200, 429, 503].includes(status))]).toEqual([200, true]); // prettier-ignore
    const { body } = await setting.api.get(formsPath).expect(200);
    expect(body).toEqual([expect.objectContaining({ today: 200 })]);
  });

  it('a flood of 300 a second fails no read of the API', async () => {
    await setting.api.post(tasksPath, { ID: 'V-1', 'Vendor Name': 'x' }).expect(201);
    const { service } = setting;
    const headers = { Authorization: `Bearer ${await service.key('acme')}` };
    const read = async (): Promise<number> => {
      const begun = performance.now();
      const answer = await fetch(`${service.url}${tasksPath}/V-1`, { headers });
      expect([answer.status, (await answer.text()).length > 100]).toEqual([200, true]);
      return performance.now() - begun;
    };
    const p99 = async (): Promise<number> => {
      const times: number[] = [];
      for (let n = 0; n < 1000; n += 1) times.push(await read());
      return times.toSorted((a, b) => a - b)[990] ?? 0;
    };
    await p99();
    const quiet = await p99();
    const flood = spawn(process.execPath, ['-e', flooding, service.url + (await setting.path())]);
    const flooded = await p99();
    flood.kill();
    console.log(`p99 of a read: ${quiet.toFixed(1)} ms quiet, ${flooded.toFixed(1)} ms under the flood`);
    expect(flooded).toBeLessThan(1000);
  });

  it('4,000 hostile texts change nothing but their own task', async () => {
    const before = await setting.tasks();
    const definition = async () => (await setting.api.get('/api/v1/definition').expect(200)).body as unknown;
    const defined = await definition();
    await setting.service.dataSource.query('UPDATE form_states SET created = 0');
    const opened = await pages(40);
    let taken = 0;
    const given = new Set<string>();
    await side(4000, 8, async (n) => {
      const text = hostile(n);
      const page = opened[n % 40];
      const { status } = page
        ? await send(page, { ...vendor, 'Vendor Name': text, Note: text, [text.slice(0, 50) || 'x']: text })
        : { status: 0 };
      expect([200, 400, 409, 422, 429]).toContain(status);
      if (status === 200) taken += 1;
      given.add(text.trim().toWellFormed());
    });
    const made = await setting.tasks();
    expect(taken).toBeGreaterThan(0);
    expect(made.length - before.length).toBe(taken);
    for (const task of made) {
      expect(given).toContain(task['Vendor Name']);
      expect(task).toMatchObject({ Risk: 'Low', Stage: 'New', Owner: null, 'Assigned To': null });
    }
    expect(await definition()).toEqual(defined);
  });
});

/** Posts 300 forms a second from as many networks, without waiting for answers. */
const flooding = `
  let n = 0;
  const body = 'Vendor+Name=x&_page=none';
  const headers = () => ({ 'Content-Type': 'application/x-www-form-urlencoded', 'X-Forwarded-For': '11.' + (n >> 8) + '.' + (n++ & 255) + '.1' });
  const send = () => fetch(process.argv[1], { method: 'POST', body, headers: headers() }).then((answer) => answer.text(), () => 0);
  setInterval(() => [send(), send(), send()], 10);
`;

const breakers = ['<script>alert(1)</script>', "'; DROP TABLE tasks; --", '{{ID}}', '{{random}}', '${7*7}', 'task["Risk"] == "High"', '=HYPERLINK("http://evil.test")', '+1+1', '@SUM(A1)', '-2+3', '\u0000', '\u0007\u001b[31m', '\u202e', '\ud800', '__proto__', 'constructor', '\r\nSet-Cookie: x=1', '%00', '../../etc/passwd', '"]}', '\\', 'x'.repeat(9000), '😀'.repeat(500), '[x](javascript:alert(1))', '<!--', ']]>']; // prettier-ignore

/** Two of these and a number, so that each is another. */
const hostile = (n: number): string =>
  `${breakers[n % breakers.length] ?? ''}${n} ${breakers[Math.floor(n / breakers.length) % breakers.length] ?? ''}`;
