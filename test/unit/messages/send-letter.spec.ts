import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type SendMailOptions } from 'nodemailer';
import { addressIn } from '../../../src/common/mail-address.js';
import {
  mailOf,
  type LetterOutcome,
  sendLetter,
  type SmtpTerms,
  writeLetter,
} from '../../../src/messages/send-letter.js';
import { type Phase, phases, startScriptedServer } from '../../mail/scripted-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = await temporaryFolder();
const content = { subject: 'Hello', text: 'text', html: '<p>html</p>' };
const plain = { ...content, to: 'ada@other.test', id: 'x.0@acme.test', date: new Date(0) };
const letter = (further: object = {}, from = 'Acme <wts@acme.test>'): SendMailOptions =>
  mailOf({ ...plain, ...further }, from, {});

/** How long a server may be silent: long enough for one that answers, on a machine that is stalled. */
const patient = 60_000;
const short = 200;

const terms = (phaseMs = patient, further: Partial<SmtpTerms> = {}): SmtpTerms => ({
  phaseMs,
  signal: new AbortController().signal,
  onContent: () => Promise.resolve(),
  ...further,
});

/** Sends one letter to a server that misbehaves in a phase; returns the outcome, and whether it was in doubt. */
async function sendTo(phase: Phase | undefined, says?: string, phaseMs = patient) {
  const server = await startScriptedServer(phase, says);
  let isInDoubt = false;
  try {
    const onContent = async (): Promise<void> => {
      isInDoubt = true;
      await Promise.resolve();
    };
    const outcome = await sendLetter(server.url, letter(), terms(phaseMs, { onContent }));
    return { outcome, isInDoubt, letters: server.letters.length };
  } finally {
    server.stop();
  }
}

const again = (reason: string): LetterOutcome => ({ is: 'refused', reason, mayPass: true });

// Rule (time.md 5): before DATA ended or 4xx: again; unknown after DATA: not again; 5xx is permanent.
describe('a mail server', () => {
  it('takes a letter', async () => {
    const outcome = { is: 'sent', answer: '250 taken' };
    expect(await sendTo(undefined)).toEqual({ outcome, isInDoubt: true, letters: 1 });
  });

  it.each(['greeting', 'RCPT'] as const)(
    'that falls silent at %s ends the try, and nothing was sent',
    async (phase) => {
      const outcome = again('the mail server took too long');
      expect(await sendTo(phase, 'hang', short)).toEqual({ outcome, isInDoubt: false, letters: 0 });
    },
  );

  it.each(['hang', 'drip'])(
    'that does not end its answer to the content leaves the result unknown: %s',
    async (says) => {
      // Longer, because the phases before it must end within it, too.
      const { outcome } = await sendTo('content', says, 1000);
      expect(outcome).toEqual({ is: 'unknown', reason: 'the mail server took too long' });
    },
  );

  it.each(phases)('that hangs up at %s is asked again, unless it has the content', async (phase) => {
    const { outcome } = await sendTo(phase, 'hang up');
    expect(outcome.is).toBe(phase === 'content' ? 'unknown' : 'refused');
  });

  it.each(phases)('that answers 4xx at %s is asked again', async (phase) => {
    const { outcome } = await sendTo(phase, '451 later');
    expect(outcome).toMatchObject({ is: 'refused', status: 451, mayPass: true });
  });

  it.each([
    ['MAIL', true],
    ['RCPT', false],
    ['DATA', false],
    ['content', false],
  ] as const)('that answers 5xx to %s is not asked again', async (phase, isOfSender) => {
    const { outcome } = await sendTo(phase, '550 no');
    expect(outcome).toMatchObject({
      is: 'refused',
      status: 550,
      mayPass: false,
      isOfSender,
      answer: '550 no',
    });
  });

  it('that refuses the service itself, whatever the letter, is asked again', async () => {
    const { outcome } = await sendTo('greeting', '554 not now');
    expect(outcome).toMatchObject({ is: 'refused', mayPass: true });
  });

  it('that cannot be reached is asked again', async () => {
    const server = await startScriptedServer(undefined);
    server.stop();
    expect(await sendLetter(server.url, letter(), terms())).toMatchObject({ is: 'refused', mayPass: true });
  });

  it('may be at an inside address, because only the operator names it', async () => {
    const server = await startScriptedServer(undefined);
    const { port } = new URL(server.url);
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:7f00:1]']) {
      const outcome = await sendLetter(`smtp://${host}:${port}`, letter(), terms());
      expect({ host, outcome }).toMatchObject({ host, outcome: { is: 'sent' } });
    }
    server.stop();
  });

  it('gets no content if the service cannot record the start of the sending', async () => {
    const server = await startScriptedServer(undefined);
    const onContent = (): Promise<never> => Promise.reject(new Error('away'));
    await expect(sendLetter(server.url, letter(), terms(patient, { onContent }))).rejects.toThrow('away');
    expect(server.letters).toEqual([]);
    server.stop();
  });

  it('is disconnected when the signal aborts', async () => {
    const server = await startScriptedServer('MAIL');
    const ended = new AbortController();
    setImmediate(() => {
      ended.abort();
    });
    const outcome = await sendLetter(server.url, letter(), terms(patient, { signal: ended.signal }));
    expect(outcome).toMatchObject({ is: 'refused', mayPass: true });
    server.stop();
  });
});

describe('a letter', () => {
  const inFolder = async (mail: SendMailOptions): Promise<string> => {
    expect(await writeLetter(join(folder, 'new'), mail, terms())).toEqual({ is: 'sent' });
    expect(await writeLetter(join(folder, 'new'), mail, terms())).toEqual({ is: 'sent' });
    expect(await readdir(join(folder, 'new'))).toEqual(['x.0@acme.test.eml']);
    const content = await readFile(join(folder, 'new', 'x.0@acme.test.eml'), 'utf8');
    await rm(join(folder, 'new'), { recursive: true });
    return content;
  };

  it('gets no header from a line break in its subject', async () => {
    const content = await inFolder(
      letter({ subject: 'a\r\nBcc: eve@other.test\r\n\r\nbody', replyTo: 'b@c.test' }),
    );
    const [head = ''] = content.split('\r\n\r\n');
    expect(head.split('\r\n').filter((line) => /^bcc/i.test(line))).toEqual([]);
    expect(head).toContain('Auto-Submitted: auto-generated');
    expect(head).toContain('Message-ID: <x.0@acme.test>');
  });

  it.each([
    ['"Acme, Inc. [EU]" <wts@acme.test>', '"Acme, Inc. [EU]" <wts@acme.test>'],
    ['Müller <wts@acme.test>', '=?UTF-8?Q?M=C3=BCller?= <wts@acme.test>'],
  ])('is from %s', async (from, header) => {
    expect(await inFolder(letter({}, from))).toContain(`From: ${header}\r\n`);
  });

  it.each([
    ['mina@acme.test', 'mina@acme.test'],
    ['Acme Inc <wts@acme.test>', 'wts@acme.test'],
    ['"Acme, Inc. [EU] <x>" <wts@acme.test>', 'wts@acme.test'],
    ['"Acme \\"West\\"" <wts@acme.test>', 'wts@acme.test'],
    ['"Acme" <wts@acme.test>, "Other" <c@d.test>', undefined],
    ['"Acme <wts@acme.test>', undefined],
    ['Acme <wts@acme.test', undefined],
    ['Team: a@b.test;', undefined],
    ['<a@b.test> c@d.test', undefined],
    ['a@b.test\r\nBcc: c@d.test', undefined],
    ['nobody', undefined],
  ])('is from the one address in %j', (text, address) => {
    expect(addressIn(text)).toBe(address);
  });
});
