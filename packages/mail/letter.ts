import MailComposer from 'nodemailer/lib/mail-composer';
import { addressIn } from './address.js';

/** A letter to one address. */
export interface LetterParts {
  /** An address, optionally with a name in front. */
  readonly from: string;
  /** An address. */
  readonly to: string;
  readonly replyTo?: string | undefined;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly attachments?: readonly {
    readonly filename: string;
    /** A media type. */
    readonly contentType: string;
    readonly content: Buffer;
  }[];
  /** The part of `Message-ID` between < and >. */
  readonly id: string;
  readonly date: Date;
  /** The part of the header `References` between < and >: mail programs group letters with the same value. */
  readonly thread?: string | undefined;
  /** The trace that the letter belongs to (W3C Trace Context). */
  readonly traceparent?: string | undefined;
  /** The address whose POST unsubscribes from such letters (RFC 8058). */
  readonly unsubscribe?: string | undefined;
}

/** A letter in its transfer form, with its envelope. */
export interface Letter {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly content: Buffer;
}

/** Writes a letter with a text and an HTML part, marked as sent by a program. Line breaks in headers become spaces. */
export async function writeLetter(given: LetterParts): Promise<Letter> {
  const { from, to, replyTo, id, thread, traceparent, unsubscribe, attachments = [], ...parts } = given;
  const composer = new MailComposer({
    ...parts,
    attachments: [...attachments],
    from,
    // Given as an object, because a text would be parsed for further addresses.
    to: { name: '', address: to },
    ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
    messageId: `<${id}>`,
    ...(thread !== undefined && { inReplyTo: `<${thread}>`, references: `<${thread}>` }),
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(traceparent !== undefined && { traceparent }),
      ...(unsubscribe !== undefined && {
        'List-Unsubscribe': { prepared: true, value: `<${unsubscribe}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return { id, from: addressIn(from) ?? from, to, content: await composer.compile().build() };
}
