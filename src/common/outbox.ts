import { join } from 'node:path';

interface MailSettings {
  readonly smtpUrl: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly ephemeral: boolean;
  readonly dataDir: string;
  readonly hasConsole: boolean;
}

/** The URL for mail: WTS_SMTP_URL, or the outbox folder beside an embedded database that is not ephemeral. */
export function mailUrlOf(settings: Omit<MailSettings, 'hasConsole'>): string | undefined {
  const isTried = settings.databaseUrl === undefined && !settings.ephemeral;
  return settings.smtpUrl ?? (isTried ? `file:${outboxOf(settings)}` : undefined);
}

/** Whether users get mail about notifications, which needs a mail server and the console. */
export const mailsPeople = ({ smtpUrl, hasConsole }: Pick<MailSettings, 'smtpUrl' | 'hasConsole'>): boolean =>
  smtpUrl !== undefined && hasConsole;

/** The outbox folder in `dataDir`. */
export const outboxOf = ({ dataDir }: Pick<MailSettings, 'dataDir'>): string => join(dataDir, 'outbox');
