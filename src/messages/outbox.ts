import { join } from 'node:path';
import { type Config } from '../config.js';

/** Where mail is handed in: where nobody has named a server or a database, it stays beside the data, to be looked at. */
export function mailUrlOf(
  config: Pick<Config, 'smtpUrl' | 'databaseUrl' | 'ephemeral' | 'dataDir'>,
): string | undefined {
  const isTried = config.databaseUrl === undefined && !config.ephemeral;
  return config.smtpUrl ?? (isTried ? `file:${outboxOf(config)}` : undefined);
}

/** The folder of mail beside the data. */
export function outboxOf({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'outbox');
}
