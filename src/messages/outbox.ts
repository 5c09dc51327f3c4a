import { join } from 'node:path';
import { type Config } from '../config.js';

/** The address for mail: without a configured mail server or database, a folder beside the data. */
export function mailUrlOf(
  config: Pick<Config, 'smtpUrl' | 'databaseUrl' | 'ephemeral' | 'dataDir'>,
): string | undefined {
  const isTried = config.databaseUrl === undefined && !config.ephemeral;
  return config.smtpUrl ?? (isTried ? `file:${outboxOf(config)}` : undefined);
}

/** Whether people get mail: they need a mail server, and the console to read and to choose in. Actions may use the outbox. */
export const mailsPeople = ({ smtpUrl, hasConsole }: Pick<Config, 'smtpUrl' | 'hasConsole'>): boolean =>
  smtpUrl !== undefined && hasConsole;

/** The outbox folder beside the data. */
export function outboxOf({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'outbox');
}
