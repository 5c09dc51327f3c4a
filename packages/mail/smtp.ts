import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { type Letter } from './letter.js';
import { type PostOutcome, type PostTerms } from './post.js';

/** Sends a letter to an SMTP server on its own connection. */
export async function sendBySmtp(
  url: URL,
  phaseMs: number,
  { from, to, content }: Letter,
  { signal, onContent }: PostTerms,
): Promise<PostOutcome> {
  if (signal.aborted) return nothingSent('it was interrupted');
  const connection = new SMTPConnection(settingsOf(url, phaseMs));
  let isInDoubt = false;
  let failure: { readonly error: unknown } | undefined;
  const message = lazily(async () => {
    try {
      await onContent();
      isInDoubt = true;
      return content;
    } catch (error) {
      failure = { error };
      throw error;
    }
  });
  try {
    const answer = await new Promise<string | undefined>((done, fail) => {
      const time = setTimeout(fail, phaseMs * MAX_PHASES, timedOut());
      const interrupt = (): void => {
        fail(new Error('the try was interrupted'));
      };
      signal.addEventListener('abort', interrupt);
      const end = (error?: Error, answer?: string): void => {
        clearTimeout(time);
        signal.removeEventListener('abort', interrupt);
        if (error) fail(error);
        else done(answer);
      };
      connection.on('error', end);
      connection.on('end', () => {
        end(new Error('the connection ended'));
      });
      converse(connection, url, { from, to: [to] }, message).then((answer) => {
        end(undefined, answer);
      }, end);
    });
    return { is: 'sent', answer };
  } catch (error) {
    if (failure) throw failure.error;
    return outcomeOf(error, isInDoubt);
  } finally {
    connection.close();
    message.destroy();
  }
}

/** The phases of a successful try: connect, log in, name both addresses, send the content. */
const MAX_PHASES = 4;

function settingsOf({ protocol, hostname, port, searchParams }: URL, phaseMs: number) {
  const isSecure = protocol === 'smtps:';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    requireTLS: searchParams.get('tls') === 'required',
    connectionTimeout: phaseMs,
    greetingTimeout: phaseMs,
    socketTimeout: phaseMs,
    dnsTimeout: phaseMs,
    socketCloseTimeout: 0,
    maxResponseSize: 65_536,
  };
}

/** The whole conversation; the letter is accepted once the server has answered its content. */
async function converse(
  connection: SMTPConnection,
  { username, password }: URL,
  envelope: { readonly from: string; readonly to: string[] },
  message: Readable,
): Promise<string | undefined> {
  await answered((done) => {
    connection.connect(done);
  });
  if (username !== '') {
    const credentials = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
    await answered((done) => {
      connection.login({ credentials }, done);
    });
  }
  const taken = await answered<{ readonly response?: string }>((done) => {
    connection.send({ ...envelope, use8BitMime: true }, message, done);
  });
  return taken?.response;
}

function answered<T>(
  ask: (done: (error?: Error | null, answer?: T) => void) => void,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    ask((error, answer) => {
      if (error) reject(error);
      else resolve(answer);
    });
  });
}

/** A stream that gets its content on the first read: the client reads it when the server asks for it. */
function lazily(content: () => Promise<Buffer>): Readable {
  const stream = new Readable({
    highWaterMark: 0,
    read() {
      content().then(
        (bytes) => {
          this.push(bytes);
          this.push(null);
        },
        (error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))),
      );
    },
  });
  // The stream is destroyed if it is not sent, which is no error.
  return stream.on('error', () => undefined);
}

const timedOut = (): Error => Object.assign(new Error('the time is up'), { code: 'ETIMEDOUT' });
const nothingSent = (reason: string): PostOutcome => ({ is: 'refused', reason, mayPass: true });

function outcomeOf(error: unknown, isInDoubt: boolean): PostOutcome {
  const { code, responseCode: status, response, command = '' } = Object(error) as SmtpError;
  const reason = reasons.get(String(code)) ?? 'the mail server could not be reached';
  if (typeof status === 'number' && status >= 400) {
    // Errors that concern the sender or the server's state do not depend on the letter: another try may succeed.
    const isOfLetter = /^(?:MAIL|RCPT|DATA)/.test(command);
    return {
      is: 'refused',
      reason: 'the mail server refused it',
      status,
      ...(typeof response === 'string' && { answer: response }),
      mayPass: status < 500 || !isOfLetter,
      isOfSender: command.startsWith('MAIL'),
    };
  }
  if (isInDoubt) return { is: 'unknown', reason };
  // The library refuses letters that this server can never accept, such as to an address in a script that it does not
  // support.
  return { is: 'refused', reason, mayPass: code !== 'EENVELOPE' && code !== 'EMESSAGE' };
}

interface SmtpError {
  readonly code?: unknown;
  readonly responseCode?: unknown;
  readonly response?: unknown;
  readonly command?: string;
}

const reasons = new Map([
  ['ETIMEDOUT', 'the mail server took too long'],
  ['ECONNECTION', 'the connection to the mail server broke off'],
  ['ETLS', 'the mail server offers no TLS that can be trusted'],
  ['EAUTH', 'the mail server does not let the service log in'],
  ['EPROTOCOL', 'the mail server gave no valid answer'],
  ['EENVELOPE', 'the mail server cannot take the address'],
  ['EMESSAGE', 'the letter is too large for the mail server'],
]);
