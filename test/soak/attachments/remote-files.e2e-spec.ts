import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { inline, stateOf } from '../../support/attachments.js';
import { workflowOf } from '../../support/definitions.js';
import { startServiceWith } from '../../support/service.js';
import { testOptions } from '../../support/test-options.js';
import { until } from '../../support/until.js';

const tasks = '/api/v1/workflows/things/tasks';

const { service, api } = await startServiceWith(
  workflowOf(['name: ID, type: uniqueId, required: true', 'name: Docs, type: file']),
  { WTS_OUTBOUND_ALLOW: '127.0.0.1/32', ...testOptions({ downloadMs: 300 }) },
);

let opened = 0;
let closed = 0;
const slow = createServer(({ url }, response) => {
  if (url === '/a') return void response.end('a');
  opened += 1;
  const drip = url === '/drops' ? setInterval(() => response.write('x'), 20) : undefined;
  response.on('close', () => {
    clearInterval(drip);
    closed += 1;
  });
});
await new Promise<void>((listening) => slow.listen(0, '127.0.0.1', listening));
afterAll(() => {
  slow.close().closeAllConnections();
});

it.each(['/silent', '/drops'])(
  'a download that takes too long ends with 422, and nothing is stored: %s',
  async (path) => {
    const site = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    await api.post(tasks, { ID: 'slow', Docs: [inline('a')] });
    const [before, openedBefore] = [await stateOf(service), opened];
    // A slow machine may use the time up before it asks, and then the other file is late, too.
    await until(`a request for ${path}`, async () => {
      const Docs = [{ remoteUrl: `${site}/a` }, { remoteUrl: site + path }];
      const { Docs: reasons } = (await api.refusal(tasks, { ID: 'slow', Docs })) as { Docs: string[] };
      expect(new Set(reasons)).toEqual(new Set(['could not be downloaded: it took too long']));
      expect(await stateOf(service)).toEqual(before);
      return opened > openedBefore;
    });
    await until(() => closed === opened);
  },
);
