import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { startService, type TestService } from '../../support/service.js';

describe('with traces and without', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it.each([
    ['nothing of the SDK', undefined, false],
    ['the SDK where they are on', 'http://127.0.0.1:9', true],
  ])('the built service has loaded %s', async (_, endpoint, isLoaded) => {
    const tell = `import { createRequire } from 'node:module';
      const { cache } = createRequire(process.cwd() + '/');
      process.on('exit', () => process.stderr.write(Object.keys(cache).join('\\n')));`;
    const main = join(resolve(import.meta.dirname, '../../..'), 'dist/main.js');
    const child = spawn(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(tell)}`, main],
      {
        // prettier-ignore
        env: {
        DATABASE_URL: service.config.databaseUrl,
        WTS_BLOB_STORE: service.config.blobStore,
        PORT: '0',
        WTS_DRAIN_MS: '0',
        ...(endpoint !== undefined && { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }),
      },
      },
    );
    const closed = once(child, 'close');
    let loaded = '';
    child.stderr.on('data', (chunk: Buffer) => (loaded += chunk.toString()));
    for await (const chunk of child.stdout as AsyncIterable<Buffer>)
      if (chunk.toString().includes('"started"')) child.kill('SIGTERM');
    // Its other output may end later.
    await closed;
    expect(loaded).toContain('node_modules');
    // What Prometheus' client needs of it is in every bundle.
    expect(/@opentelemetry\/(?!api\/)/.test(loaded)).toBe(isLoaded);
  });
});
