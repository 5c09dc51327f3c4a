import { type SendMailOptions } from 'nodemailer';

/** A letter to one address. */
export interface Letter {
  readonly to: string;
  readonly replyTo?: string | undefined;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly attachments?: readonly LetterAttachment[];
  /** The part of `Message-ID` between < and >. */
  readonly id: string;
  readonly date: Date;
  /** The part of the header `References` between < and >: mail programs group letters with the same value. */
  readonly thread?: string | undefined;
  /** The address whose POST unsubscribes from such letters (RFC 8058). */
  readonly unsubscribe?: string | undefined;
}

export interface LetterAttachment {
  readonly filename: string;
  /** A media type. */
  readonly contentType: string;
  readonly content: Buffer;
}

/** The letter for nodemailer, marked as sent by a program; `headers` are further ones. */
export function mailOf(
  { to, replyTo, attachments = [], id, thread, unsubscribe, ...parts }: Letter,
  from: string,
  headers: Readonly<Record<string, string>>,
): SendMailOptions {
  return {
    ...parts,
    from,
    // Given as objects, because a text would be parsed for further addresses.
    to: { name: '', address: to },
    ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
    attachments: [...attachments],
    messageId: `<${id}>`,
    ...(thread !== undefined && { inReplyTo: `<${thread}>`, references: `<${thread}>` }),
    headers: {
      ...headers,
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(unsubscribe !== undefined && {
        'List-Unsubscribe': { prepared: true, value: `<${unsubscribe}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
