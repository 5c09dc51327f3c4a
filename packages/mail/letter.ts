import MailComposer from 'nodemailer/lib/mail-composer';
import { addressIn } from './address.js';

/** A letter to one address. */
export interface LetterParts {
  /** An address, with a name before it or without. */
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
  /** What stands between < and > in `Message-ID`. */
  readonly id: string;
  readonly date: Date;
  /** What stands between < and > in the header `References`: mail programs show all letters with it as one thread. */
  readonly thread?: string | undefined;
  /** The trace that the letter belongs to (W3C Trace Context). */
  readonly traceparent?: string | undefined;
  /** Where one POST ends letters such as this one (RFC 8058). */
  readonly unsubscribe?: string | undefined;
}

/** A letter as it goes over the wire, and what stands on its envelope. */
export interface Letter {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly content: Buffer;
}

/** Writes a letter with its text both ways, marked as one that a program has sent. Line breaks in headers become spaces. */
export async function writeLetter(given: LetterParts): Promise<Letter> {
  const { from, to, replyTo, id, thread, traceparent, unsubscribe, attachments = [], ...parts } = given;
  const composer = new MailComposer({
    ...parts,
    attachments: [...attachments],
    from,
    // As an object: a text would be parsed for further addresses.
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
