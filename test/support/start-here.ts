import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Environment, readConfig } from '../../src/config.js';
import { createLogger } from '../../src/common/logger.js';
import { startService } from '../../src/cli/service/service.js';
import { testOptions } from './test-options.js';

/** Starts the service in this process as `npm start` does, on a database that is there; ends it, and returns its log. */
export async function linesOfStart(
  databaseUrl: string,
  environment: Environment = {},
): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const folder = await mkdtemp(join(tmpdir(), 'wts-start-here-'));
  const settings = { DATABASE_URL: databaseUrl, WTS_BLOB_STORE: folder, PORT: '0' };
  const config = readConfig({ ...settings, ...testOptions({ background: 'asked' }), ...environment });
  try {
    const started = await startService(config, createLogger('info', { write }), () =>
      Promise.resolve(undefined),
    );
    await started.app.close();
    await started.blobs.close();
    await started.database.close();
  } finally {
    await rm(folder, { recursive: true });
  }
  return lines;
}
