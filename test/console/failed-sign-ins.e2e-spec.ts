import { type Answer, type Browser, linkFor, openBrowser } from '../support/console.js';
import { served } from '../support/served.js';

const acme = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
`;
const beta = `
workspace: { id: beta, name: Beta }
users: [{ email: theo@beta.test }]
`;

describe('failed sign-ins', () => {
  const { service } = served([acme, beta], { WTS_TRUSTED_PROXIES: '127.0.0.1' });
  let nobody: Browser;
  let deadLink: (workspace: string) => string;
  beforeAll(async () => {
    nobody = openBrowser(service);
    const rows = await service.dataSource.query<{ slug: string; id: number }[]>(
      'SELECT slug, id FROM workspaces',
    );
    const ids = Object.fromEntries(rows.map(({ slug, id }) => [slug, id]));
    deadLink = (workspace) => `${ids[workspace]}.${'A'.repeat(43)}`;
  });

  /** Posts a link that is none, from this address. */
  const post = (address: string, token = 'x', site = 'same-origin'): Promise<Answer> =>
    nobody.post(`/sign-in/${token}`, {}, { 'Sec-Fetch-Site': site, 'X-Forwarded-For': address });
  const statusesOf = async (count: number, address: string, token?: string): Promise<number[]> => {
    const answers = await Promise.all(Array.from({ length: count }, () => post(address, token)));
    return answers.map(({ status }) => status).sort();
  };
  const times = (count: number, status: number): number[] => Array<number>(count).fill(status);

  it('count only if our own form sends them, and not if a page elsewhere does', async () => {
    const address = '198.51.100.1';
    for (let times = 0; times < 30; times += 1) {
      for (const path of ['/sign-in/x', `/sign-in/${deadLink('acme')}`])
        expect((await nobody.get(path, { 'X-Forwarded-For': address })).status).toBe(404);
      expect((await post(address, 'x', 'cross-site')).status).toBe(403);
    }
    expect((await post(address)).status).toBe(404);
  });

  it('are limited to 20 a minute from one address, even at once', async () => {
    const address = '198.51.100.2';
    expect(await statusesOf(30, address)).toEqual([...times(20, 404), ...times(10, 429)]);
    const late = await post(address);
    expect([late.status, late.headers['retry-after']]).toEqual([429, '60']);
    expect(late.text).toContain('Too many failed sign-ins. Try again in a minute.');
    expect((await post('198.51.100.3')).status).toBe(404);
  });

  it('do not stop a link from working at an address with no tries left', async () => {
    const headers = { 'X-Forwarded-For': '198.51.100.4', 'Sec-Fetch-Site': 'same-origin' };
    expect(await statusesOf(21, '198.51.100.4', deadLink('acme'))).toContain(429);
    const path = `/sign-in/${await linkFor(service, 'mina@acme.test')}`;
    expect((await nobody.get(path, headers)).status).toBe(200);
    const { status, headers: answered } = await nobody.post(path, {}, headers);
    expect([status, answered['location']]).toEqual([303, '/']);
    expect((await nobody.post(path, {}, headers)).status).toBe(429);
  });

  it('are limited to 100 a minute for the links of one workspace, from all addresses together', async () => {
    const statuses = [];
    for (let network = 0; network < 12; network += 1)
      statuses.push(...(await statusesOf(10, `203.0.113.${network}`, deadLink('beta'))));
    expect(statuses.sort()).toEqual([...times(100, 404), ...times(20, 429)]);
    expect((await post('203.0.113.50', deadLink('acme'))).status).toBe(404);
    const path = `/sign-in/${await linkFor(service, 'theo@beta.test')}`;
    expect((await nobody.post(path)).status).toBe(303);
  });

  it('are counted by the network of an IPv6 address, which belongs to one customer', async () => {
    const statuses = [];
    for (let host = 1; host <= 21; host += 1)
      statuses.push((await post(`2001:db8:0:7::${host.toString(16)}`)).status);
    expect(statuses).toEqual([...times(20, 404), 429]);
    expect((await post('2001:db8:0:7:ffff:ffff:ffff:ffff')).status).toBe(429);
    expect((await post('2001:db8:0:8::1')).status).toBe(404);
    expect(await statusesOf(21, '192.0.2.1')).toContain(429);
    expect((await post('::ffff:192.0.2.1')).status).toBe(429);
  });

  it('are answered whatever a proxy says about the address', async () => {
    for (const address of ['x'.repeat(4000), 'é', '%00', "'; DROP TABLE users --", '::', 'fe80::1%eth0'])
      expect((await post(encodeURI(address).replaceAll('%25', '%'))).status).toBe(404);
  });

  it('are counted in the database, which all processes share', async () => {
    await post('198.51.100.20');
    await service.dataSource.query('UPDATE sign_in_failures SET points = points * 100');
    expect((await post('198.51.100.20')).status).toBe(429);
  });

  it('leave no address in the database that could be read', async () => {
    await post('198.51.100.30');
    const rows = JSON.stringify(await service.dataSource.query('SELECT * FROM sign_in_failures'));
    expect(rows).toContain('wts:sign-in:');
    expect(rows).not.toMatch(/198\.51\.100|2001:db8/);
  });
});
