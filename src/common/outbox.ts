import { join } from 'node:path';

interface MailSettings {
  readonly smtpUrl: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly ephemeral: boolean;
  readonly dataDir: string;
  readonly hasConsole: boolean;
}

/**
 * The URL to which mails go: WTS_SMTP_URL if it is set. Otherwise, if the database is embedded and not
 * ephemeral, the outbox folder in `dataDir`. Undefined if neither applies.
 */
export function mailUrlOf(settings: Omit<MailSettings, 'hasConsole'>): string | undefined {
  const isTried = settings.databaseUrl === undefined && !settings.ephemeral;
  return settings.smtpUrl ?? (isTried ? `file:${outboxOf(settings)}` : undefined);
}

/** Whether users get mail about notifications. This needs `WTS_SMTP_URL` and the console. */
export const mailsPeople = ({ smtpUrl, hasConsole }: Pick<MailSettings, 'smtpUrl' | 'hasConsole'>): boolean =>
  smtpUrl !== undefined && hasConsole;

export const outboxOf = ({ dataDir }: Pick<MailSettings, 'dataDir'>): string => join(dataDir, 'outbox');
