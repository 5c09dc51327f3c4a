import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { type Letter } from './letter.js';
import { type PostOutcome, type PostTerms } from './post.js';

/** Hands a letter to an SMTP server, by a connection of its own. */
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

/** As many as a try has that goes well: to connect, to log in, to name both addresses, to hand over the content. */
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

/** The whole conversation; the letter is there once the server has answered its content, with this. */
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

/** A stream whose content is asked for when somebody reads: the client reads once the server has asked for it. */
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
  // It is destroyed where it is not sent, and nobody need hear of that.
  return stream.on('error', () => undefined);
}

const timedOut = (): Error => Object.assign(new Error('the time is up'), { code: 'ETIMEDOUT' });
const nothingSent = (reason: string): PostOutcome => ({ is: 'refused', reason, mayPass: true });

function outcomeOf(error: unknown, isInDoubt: boolean): PostOutcome {
  const { code, responseCode: status, response, command = '' } = Object(error) as SmtpError;
  const reason = reasons.get(String(code)) ?? 'the mail server could not be reached';
  if (typeof status === 'number' && status >= 400) {
    // Who we are and how the server is does not depend on the letter: another try may find it better.
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
  // The library refuses what no server could take, such as an address in a script that this one does not know.
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
