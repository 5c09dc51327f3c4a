import { join } from 'node:path';

interface MailSettings {
  readonly smtpUrl: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly ephemeral: boolean;
  readonly dataDir: string;
  readonly hasConsole: boolean;
}

/** Where mail goes: with neither a mail server nor a database configured, into a folder beside the data. */
export function mailUrlOf(settings: Omit<MailSettings, 'hasConsole'>): string | undefined {
  const isTried = settings.databaseUrl === undefined && !settings.ephemeral;
  return settings.smtpUrl ?? (isTried ? `file:${outboxOf(settings)}` : undefined);
}

/** Needs a mail server, and the console in which people read and choose; actions may also use the outbox. */
export const mailsPeople = ({ smtpUrl, hasConsole }: Pick<MailSettings, 'smtpUrl' | 'hasConsole'>): boolean =>
  smtpUrl !== undefined && hasConsole;

/** The outbox folder beside the data. */
export const outboxOf = ({ dataDir }: Pick<MailSettings, 'dataDir'>): string => join(dataDir, 'outbox');
