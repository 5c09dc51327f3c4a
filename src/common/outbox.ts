import { join } from 'node:path';

interface MailSettings {
  readonly smtpUrl: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly hasConsole: boolean;
}

/** The URL to which mails go: WTS_SMTP_URL, or else the outbox. Undefined if there is neither. */
export function mailUrlOf(settings: Omit<MailSettings, 'hasConsole'>): string | undefined {
  const outbox = outboxOf(settings);
  return settings.smtpUrl ?? (outbox && `file:${outbox}`);
}

/** Whether users get mail about notifications. This needs `WTS_SMTP_URL` and the console. */
export const mailsPeople = ({ smtpUrl, hasConsole }: Pick<MailSettings, 'smtpUrl' | 'hasConsole'>): boolean =>
  smtpUrl !== undefined && hasConsole;

/** The folder of mails in `dataDir`. Undefined if WTS_SMTP_URL or DATABASE_URL is set. */
export function outboxOf({
  smtpUrl,
  databaseUrl,
  dataDir,
}: Omit<MailSettings, 'hasConsole'>): string | undefined {
  return smtpUrl === undefined && databaseUrl === undefined ? join(dataDir, 'outbox') : undefined;
}
