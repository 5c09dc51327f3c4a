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
}

/** A letter as it goes over the wire, and what stands on its envelope. */
export interface Letter {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly content: Buffer;
}

/** Writes a letter with its text both ways, marked as one that a program has sent. Line breaks in headers become spaces. */
export async function writeLetter({
  from,
  to,
  replyTo,
  id,
  attachments = [],
  ...parts
}: LetterParts): Promise<Letter> {
  const composer = new MailComposer({
    ...parts,
    attachments: [...attachments],
    from,
    // As an object: a text would be parsed for further addresses.
    to: { name: '', address: to },
    ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
    messageId: `<${id}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return { id, from: addressIn(from) ?? from, to, content: await composer.compile().build() };
}
