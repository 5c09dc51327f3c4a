import { join } from 'node:path';

/** The settings that decide where mail goes. */
interface MailSettings {
  readonly smtpUrl: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly ephemeral: boolean;
  readonly dataDir: string;
  readonly hasConsole: boolean;
}

/** The address for mail: without a configured mail server or database, a folder beside the data. */
export function mailUrlOf(settings: Omit<MailSettings, 'hasConsole'>): string | undefined {
  const isTried = settings.databaseUrl === undefined && !settings.ephemeral;
  return settings.smtpUrl ?? (isTried ? `file:${outboxOf(settings)}` : undefined);
}

/** Whether people get mail: they need a mail server, and the console to read and to choose in. Actions may use the outbox. */
export const mailsPeople = ({ smtpUrl, hasConsole }: Pick<MailSettings, 'smtpUrl' | 'hasConsole'>): boolean =>
  smtpUrl !== undefined && hasConsole;

/** The outbox folder beside the data. */
export const outboxOf = ({ dataDir }: Pick<MailSettings, 'dataDir'>): string => join(dataDir, 'outbox');
