import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createTransport, type SendMailOptions, type SMTPTransportOptions } from 'nodemailer';
import { withTimeLimit } from '../../packages/fair/time-limit.js';

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
  /** The URL to which mail clients POST to unsubscribe (RFC 8058). */
  readonly unsubscribe?: string | undefined;
}

export interface LetterAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** Converts a letter for nodemailer, and marks it as sent by a program. Adds `headers` to its headers. */
export function mailOf(
  { to, replyTo, attachments = [], id, unsubscribe, ...parts }: Letter,
  from: string,
  headers: Readonly<Record<string, string>>,
): SendMailOptions {
  return {
    ...parts,
    from,
    // Addresses are objects, because nodemailer would parse further addresses from a string.
    to: { name: '', address: to },
    ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
    attachments: [...attachments],
    messageId: `<${id}>`,
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

export type LetterOutcome =
  | { readonly is: 'sent'; readonly answer?: string | undefined }
  | RefusedLetter
  /** The content was begun, but there was no answer, so the server may have accepted the letter. */
  | { readonly is: 'unknown'; readonly reason: string };

interface RefusedLetter {
  readonly is: 'refused';
  readonly reason: string;
  /** The server's answer, for operators, and its SMTP status. */
  readonly answer?: string | undefined;
  readonly status?: number | undefined;
  /** Whether another try may succeed. */
  readonly mayPass: boolean;
  /** Whether the server refused the sender's address. */
  readonly isOfSender?: boolean | undefined;
}

export interface LetterTerms {
  readonly signal: AbortSignal;
  /** Called before the first byte of the content. If it throws, no content is sent. */
  readonly onContent: () => Promise<void>;
}

export interface SmtpTerms extends LetterTerms {
  /** How long the server may be silent, in milliseconds; a try takes at most four times as long. */
  readonly phaseMs: number;
}

/**
 * Sends a letter to an `smtp://` or `smtps://` server. Throws only errors of `onContent`. The server may have
 * any address, because only the operator can set `url`.
 */
export async function sendLetter(
  url: string,
  letter: SendMailOptions,
  { signal, onContent, phaseMs }: SmtpTerms,
): Promise<LetterOutcome> {
  let isInDoubt = false;
  let failure: { readonly error: unknown } | undefined;
  async function* content(written: Readable): AsyncGenerator<Buffer> {
    await onContent().catch((error: unknown) => {
      failure = { error };
      throw error;
    });
    isInDoubt = true;
    yield* written as AsyncIterable<Buffer>;
  }
  const transport = createTransport(settingsOf(new URL(url), phaseMs));
  transport.use('stream', ({ message }, done) => {
    // nodemailer reads this stream only after the server has accepted the recipients.
    message.processFunc((written) => Readable.from(content(written)));
    done();
  });
  try {
    const { response } = await withTimeLimit(phaseMs * 4, [signal], (within) =>
      transport.sendMail({ ...letter, signal: within }),
    );
    return { is: 'sent', answer: response };
  } catch (error) {
    if (failure) throw failure.error;
    return outcomeOf(error, isInDoubt);
  }
}

function settingsOf(url: URL, phaseMs: number): SMTPTransportOptions {
  const secure = url.protocol === 'smtps:';
  const { username, password } = url;
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port || (secure ? '465' : '587'),
    secure,
    requireTLS: url.searchParams.get('tls') === 'required',
    ...(username !== '' && { auth }),
    connectionTimeout: phaseMs,
    greetingTimeout: phaseMs,
    socketTimeout: phaseMs,
    socketCloseTimeout: 0,
    maxResponseSize: 65_536,
  };
}

function outcomeOf(error: unknown, isInDoubt: boolean): LetterOutcome {
  const { code, responseCode: status, response, command = '' } = Object(error) as SmtpError;
  const reason = reasons.get(String(code)) ?? 'the mail server could not be reached';
  if (typeof status === 'number' && status >= 400) {
    // Only MAIL, RCPT and DATA depend on the letter. After a refusal of another command, another try may
    // succeed.
    const isOfLetter = /^(?:MAIL|RCPT|DATA)/.test(command);
    return {
      is: 'refused',
      reason: 'the mail server refused it',
      status,
      ...(response !== undefined && { answer: response }),
      mayPass: status < 500 || !isOfLetter,
      isOfSender: command.startsWith('MAIL'),
    };
  }
  if (isInDoubt) return { is: 'unknown', reason };
  // With EENVELOPE and EMESSAGE, the server can never accept the letter.
  return { is: 'refused', reason, mayPass: code !== 'EENVELOPE' && code !== 'EMESSAGE' };
}

interface SmtpError {
  readonly code?: string;
  readonly responseCode?: number;
  readonly response?: string;
  readonly command?: string;
}

const reasons = new Map([
  ['EABORT', 'the mail server took too long'],
  ['ETIMEDOUT', 'the mail server took too long'],
  ['ECONNECTION', 'the connection to the mail server broke off'],
  ['EPROTOCOL', 'the mail server gave no valid answer'],
  ['ETLS', 'the mail server offers no TLS that can be trusted'],
  ['EAUTH', 'the mail server does not let the service log in'],
  ['EENVELOPE', 'the mail server cannot take the address'],
  ['EMESSAGE', 'the letter is too large for the mail server'],
]);

/** Writes a letter as an .eml file into a folder. */
export async function writeLetter(
  folder: string,
  letter: SendMailOptions,
  { onContent }: LetterTerms,
): Promise<LetterOutcome> {
  const written = await createTransport({ streamTransport: true, buffer: true }).sendMail(letter);
  await onContent();
  try {
    await mkdir(folder, { recursive: true });
    const name = written.messageId.slice(1, -1).replace(/[^\w.@-]/g, '_');
    await writeFile(join(folder, `${name}.eml`), written.message);
    return { is: 'sent' };
  } catch {
    return { is: 'refused', reason: 'the folder for mail cannot be written', mayPass: true };
  }
}
