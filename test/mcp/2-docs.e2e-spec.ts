import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { prepareDemo } from '../../src/cli/demo/prepare-demo.js';
import { startService } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { blocksOf } from '../support/typed-page.js';

interface Configuration {
  readonly mcpServers: Readonly<
    Record<string, { readonly url: string; readonly headers: Record<string, string> }>
  >;
}

const folder = await temporaryFolder();

it('the settings in docs/guide/agents.md connect a client, with the key of the demo', async () => {
  const service = await startService({ WTS_DATA_DIR: folder });
  try {
    const key = (await prepareDemo(service.dataSource, service.config)) ?? '';
    const page = readFileSync(join(import.meta.dirname, '../../docs/guide/agents.md'), 'utf8');
    const block = blocksOf(page).find(({ language }) => language === 'json')?.text ?? '';
    const text = block.replace('wts_…', key).replace('http://localhost:3000', service.url);
    const [server] = Object.values((JSON.parse(text) as Configuration).mcpServers);
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const { url = '', headers = {} } = server ?? {};
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    const { structuredContent } = await client.callTool({ name: 'get_task', arguments: { workflow: 'vendors', unique_id: 'V-1' } }); // prettier-ignore
    expect(structuredContent).toMatchObject({ values: { task: { 'Vendor ID': 'V-1' } } });
    await client.close();
  } finally {
    await service.stop();
  }
});
