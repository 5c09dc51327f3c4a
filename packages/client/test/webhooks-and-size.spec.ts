import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookInvalid } from '../client.js';

describe('verifyWebhook', () => {
  const secret = `whsec_${Buffer.from('a secret of 24 bytes ...').toString('base64')}`;
  const other = `whsec_${Buffer.from('another secret of 24 b..').toString('base64')}`;
  const body = '{"id":"evt_1","type":"task.updated","data":{"x":"ü"}}';
  const signed = (by = secret, at = new Date()) => ({
    'Webhook-Id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign('evt_1', at, body),
  });

  it('gives the event that one of the secrets has signed, of a text or bytes and any headers', async () => {
    const event: unknown = JSON.parse(body);
    const one = signed();
    const both = { ...one, 'webhook-signature': `v1,AAAA v2,x ${one['webhook-signature']}` };
    expect(await verifyWebhook(body, signed(), secret)).toEqual(event);
    expect(await verifyWebhook(new TextEncoder().encode(body), signed(), [other, secret])).toEqual(event);
    expect(await verifyWebhook(body, new Headers(both), secret)).toEqual(event);
  });

  it('refuses all else', async () => {
    const old = new Date(Date.now() - 301_000);
    const wrong: [string, Record<string, string>, string | string[]][] = [
      [`${body} `, signed(), secret],
      [body, signed(other), secret],
      [body, signed(), []],
      [body, { ...signed(), 'webhook-signature': 'v1,ä' }, secret],
      [body, { ...signed(), 'Webhook-Id': 'evt_2' }, secret],
      [body, signed(secret, old), secret],
      [body, signed(secret, new Date(Date.now() + 302_000)), secret],
      [body, { ...signed(), 'webhook-timestamp': 'x' }, secret],
      [body, {}, secret],
    ];
    for (const args of wrong) await expect(verifyWebhook(...args)).rejects.toBeInstanceOf(WebhookInvalid);
  });

  it('takes no secret that is not set: anybody could sign by it', async () => {
    for (const secret of ['', 'whsec_', 'whsec_ä'])
      await expect(verifyWebhook(body, signed(), secret)).rejects.toBeInstanceOf(TypeError);
  });
});

// Rule: no dependency at run time; 8 kB gzipped at most.
describe('the package', () => {
  const folder = join(import.meta.dirname, '..');

  it('is at most 8 kB', async () => {
    const { outputFiles, metafile } = await build({
      entryPoints: [join(folder, 'client.ts')],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
      metafile: true,
    });
    expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThanOrEqual(8192);
    const outside = Object.values(metafile.inputs).flatMap(({ imports }) =>
      imports.filter(({ external }) => external),
    );
    expect(outside).toEqual([]);
  });

  it('depends on nothing', async () => {
    const described = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as object;
    expect(Object.keys(described).filter((name) => /dependencies/i.test(name))).toEqual([]);
    expect(described).toMatchObject({ private: true, type: 'module' });
  });
});
