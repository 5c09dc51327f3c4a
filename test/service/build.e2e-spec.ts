import { execFile } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { copyProject } from '../support/project-copy.js';

describe('the build', () => {
  it('three at once, as by three commands after a change, all succeed and leave one whole', async () => {
    const folder = await copyProject();
    const chunks = join(folder, 'dist/bundle/src');
    const last = (await readdir(chunks)).sort().at(-1);
    await writeFile(join(folder, 'src/changed.ts'), 'export {};\n');

    const run = promisify(execFile);
    const build = (): Promise<unknown> => run(process.execPath, ['build.mjs', '--if-stale'], { cwd: folder });
    await Promise.all([build(), build(), build()]);

    const { stdout } = await run(process.execPath, ['dist/wts.js', '--help'], { cwd: folder });
    expect(stdout).toContain('Usage: wts');
    expect(await readdir(join(folder, 'dist/src'))).toContain('changed.js');
    // Who has been running since the last build can still load more of it.
    expect(await readdir(chunks)).toContain(last);
    expect((await readdir(folder)).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
    await rm(folder, { recursive: true });
  });
});
