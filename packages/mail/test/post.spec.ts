import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeLetter } from '../letter.js';
import { openPost, type PostOutcome } from '../post.js';
import { addressIn } from '../address.js';
import { type Phase, phases, startScriptedServer } from './scripted-server.js';

const letter = (further: object = {}) =>
  writeLetter({
    from: 'Acme <wts@acme.test>',
    to: 'ada@other.test',
    subject: 'Hello',
    text: 'text',
    html: '<p>html</p>',
    id: 'x.0@acme.test',
    date: new Date(0),
    ...further,
  });

/** Long enough for a server that answers, on a machine that is stalled. */
const patient = { phaseMs: 60_000 };

/** Sends one letter to a server that misbehaves in a phase; returns the outcome, and whether it was in doubt. */
async function sendTo(phase: Phase | undefined, says?: string, time = patient) {
  const server = await startScriptedServer(phase, says);
  let isInDoubt = false;
  try {
    const post = openPost(server.url, time);
    const onContent = async (): Promise<void> => {
      isInDoubt = true;
      await Promise.resolve();
    };
    const outcome = await post.send(await letter(), { signal: new AbortController().signal, onContent });
    return { outcome, isInDoubt, letters: server.letters.length };
  } finally {
    server.stop();
  }
}

const short = { phaseMs: 200 };

const again = (reason: string): PostOutcome => ({ is: 'refused', reason, mayPass: true });

// Rule (time.md 5): before DATA ended or 4xx: again; unknown after DATA: not again; 5xx is permanent.
describe('a mail server', () => {
  it('takes a letter', async () => {
    const outcome = { is: 'sent', answer: '250 taken' };
    expect(await sendTo(undefined)).toEqual({ outcome, isInDoubt: true, letters: 1 });
  });

  it.each(['greeting', 'RCPT'] as const)(
    'that falls silent at %s ends the try, and nothing was sent',
    async (phase) => {
      const { outcome, isInDoubt, letters } = await sendTo(phase, 'hang', short);
      expect([outcome, isInDoubt, letters]).toEqual([again('the mail server took too long'), false, 0]);
    },
  );

  it.each(['hang', 'drip'])(
    'that does not end its answer to the content leaves it unknown: %s',
    async (says) => {
      // Longer, because the phases before it must end within it, too.
      const { outcome } = await sendTo('content', says, { phaseMs: 1000 });
      expect(outcome).toEqual({ is: 'unknown', reason: 'the mail server took too long' });
    },
  );

  it('that hangs up is asked again, unless it has the content', async () => {
    const outcomes = await Promise.all(
      phases.map(async (phase) => (await sendTo(phase, 'hang up')).outcome.is),
    );
    expect(outcomes).toEqual(['refused', 'refused', 'refused', 'refused', 'refused', 'unknown']);
  });

  it('that answers 4xx is asked again, at whatever phase', async () => {
    const outcomes = await Promise.all(
      phases.map(async (phase) => (await sendTo(phase, '451 later')).outcome),
    );
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ is: 'refused', status: 451, mayPass: true });
  });

  it('that answers 5xx to the letter is not asked again', async () => {
    const outcomes = await Promise.all(
      (['MAIL', 'RCPT', 'DATA', 'content'] as const).map(
        async (phase) => (await sendTo(phase, '550 no')).outcome,
      ),
    );
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ is: 'refused', status: 550, mayPass: false });
    expect(outcomes.map((outcome) => outcome.is === 'refused' && outcome.isOfSender)).toEqual([true, false, false, false]); // prettier-ignore
    expect(outcomes[1]).toMatchObject({ answer: '550 no' });
    // The server refuses the service itself, whatever the letter.
    expect((await sendTo('greeting', '554 not now')).outcome).toMatchObject({ is: 'refused', mayPass: true });
  });

  it('that is not there is asked again', async () => {
    const server = await startScriptedServer(undefined);
    server.stop();
    const post = openPost(server.url, { phaseMs: 200 });
    const terms = { signal: new AbortController().signal, onContent: () => Promise.resolve() };
    expect(await post.send(await letter(), terms)).toMatchObject({ is: 'refused', mayPass: true });
  });

  it('is sent no content where nobody could note that it may be sent', async () => {
    const server = await startScriptedServer(undefined);
    const post = openPost(server.url, patient);
    const terms = {
      signal: new AbortController().signal,
      onContent: () => Promise.reject(new Error('away')),
    };
    await expect(post.send(await letter(), terms)).rejects.toThrow('away');
    expect(server.letters).toEqual([]);
    server.stop();
  });

  it('is left when the signal says so', async () => {
    const server = await startScriptedServer('MAIL');
    const post = openPost(server.url, { phaseMs: 60_000 });
    const ended = new AbortController();
    setImmediate(() => {
      ended.abort();
    });
    const terms = { signal: ended.signal, onContent: () => Promise.resolve() };
    expect(await post.send(await letter(), terms)).toMatchObject({ is: 'refused', mayPass: true });
    server.stop();
  });
});

describe('a letter', () => {
  it('has no header that its subject or address would slip in', async () => {
    const { content } = await letter({
      subject: 'a\r\nBcc: eve@other.test\r\n\r\nbody',
      replyTo: 'b@c.test',
    });
    const [head = ''] = content.toString().split('\r\n\r\n');
    expect(head.split('\r\n').filter((line) => /^bcc/i.test(line))).toEqual([]);
    expect(head).toContain('Auto-Submitted: auto-generated');
    expect(head).toContain('Message-ID: <x.0@acme.test>');
  });

  it.each([
    ['"Acme, Inc. [EU]" <wts@acme.test>', '"Acme, Inc. [EU]" <wts@acme.test>'],
    ['Müller <wts@acme.test>', '=?UTF-8?Q?M=C3=BCller?= <wts@acme.test>'],
  ])('is from %s', async (from, header) => {
    const { content } = await letter({ from });
    expect(content.toString()).toContain(`From: ${header}\r\n`);
  });

  it('leaves no unfinished file of a process that was killed, and another process its own', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wts-mail-'));
    for (const name of ['killed.part', 'others.part']) await writeFile(join(folder, name), 'half');
    await utimes(join(folder, 'killed.part'), 0, 0);
    const terms = { signal: new AbortController().signal, onContent: () => Promise.resolve() };
    await openPost(`file:${folder}`, { phaseMs: 200 }).send(await letter(), terms);
    expect((await readdir(folder)).sort()).toEqual(['others.part', 'x.0@acme.test.eml']);
    await rm(folder, { recursive: true });
  });

  it('is written to a folder as a file that mail programs open', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wts-mail-'));
    const post = openPost(`file:${folder}/new`, { phaseMs: 200 });
    const terms = { signal: new AbortController().signal, onContent: () => Promise.resolve() };
    const written = await letter();
    expect(await post.send(written, terms)).toEqual({ is: 'sent' });
    expect(await post.send(written, terms)).toEqual({ is: 'sent' });
    expect(await readdir(join(folder, 'new'))).toEqual(['x.0@acme.test.eml']);
    expect(await readFile(join(folder, 'new', 'x.0@acme.test.eml'))).toEqual(written.content);
    await rm(folder, { recursive: true });
  });

  it.each([
    ['mina@acme.test', 'mina@acme.test'],
    ['Acme Inc <wts@acme.test>', 'wts@acme.test'],
    ['"Acme, Inc. [EU] <x>" <wts@acme.test>', 'wts@acme.test'],
    ['"Acme \\"West\\"" <wts@acme.test>', 'wts@acme.test'],
    ['Müller & Söhne <wts@acme.test>', 'wts@acme.test'],
    ['"Acme" <wts@acme.test>, "Other" <c@d.test>', undefined],
    ['"Acme <wts@acme.test>', undefined],
    ['Acme <wts@acme.test', undefined],
    ['Acme <<wts@acme.test>>', undefined],
    ['Team: a@b.test;', undefined],
    ['a@b.test, c@d.test', undefined],
    ['<a@b.test> c@d.test', undefined],
    ['a@b.test\r\nBcc: c@d.test', undefined],
    ['nobody', undefined],
  ])('is from the one address in %j', (text, address) => {
    expect(addressIn(text)).toBe(address);
  });
});
