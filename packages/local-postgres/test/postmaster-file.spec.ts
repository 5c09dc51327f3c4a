import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { discardStale, parsePostmasterFile } from '../server.js';

const text = '4242\n/proc/self/cwd\n1763700000\n36385\n\n127.0.0.1\n  12345 6\nready   \n';

describe('postmaster.pid', () => {
  it('tells process, port and status', () => {
    expect(parsePostmasterFile(text)).toEqual({ pid: 4242, port: 36385, ready: true, text });
    expect(parsePostmasterFile(text.replace('ready', 'starting'))).toMatchObject({ ready: false });
  });

  it('tells nothing while it is being written', () => {
    expect(parsePostmasterFile('')).toEqual({ pid: NaN, port: NaN, ready: false, text: '' });
  });

  it('is taken away only as it was read', async () => {
    const data = await mkdtemp(path.join(tmpdir(), 'wts-pid-'));
    const file = path.join(data, 'postmaster.pid');
    await writeFile(file, text);
    await discardStale(data, parsePostmasterFile('another'));
    expect(await readFile(file, 'utf8')).toBe(text);
    await discardStale(data, parsePostmasterFile(text));
    expect(await readdir(data)).toEqual([]);
    await rm(data, { recursive: true });
  });
});
