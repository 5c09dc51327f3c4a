import { execFile } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { copyProject } from '../../support/project-copy.js';

describe('the build', () => {
  it('three at once, as by three commands after a change, all succeed and leave one whole', async () => {
    const folder = await copyProject();
    const chunks = ['main', 'wts'].map((program) => join(folder, 'dist/bundle', program, 'src'));
    const last = await Promise.all(chunks.map(async (of) => (await readdir(of)).sort().at(-1)));
    await writeFile(join(folder, 'src/changed.ts'), 'export {};\n');

    const run = promisify(execFile);
    const build = (): Promise<unknown> =>
      run(process.execPath, ['tools/build/build.mjs', '--if-stale'], { cwd: folder });
    await Promise.all([build(), build(), build()]);

    const output = async (...args: readonly string[]): Promise<string> =>
      (await run(process.execPath, args, { cwd: folder })).stdout;
    expect(await output('dist/wts.js', '--help')).toContain('Usage: wts');
    // V8 takes what it compiled for the build; with other options it compiles anew, and all works the same.
    const asks = `console.log((await import('./dist/node_modules/packages.mjs')).isCompiled)`;
    expect(await output('--input-type=module', '-e', asks)).toBe('true\n');
    expect(await output('--no-opt', '--input-type=module', '-e', asks)).toBe('false\n');
    expect(await output('--no-opt', 'dist/wts.js', '--help')).toContain('Usage: wts');
    // Characters beyond ASCII are still in regular expressions.
    const letters = `console.log((await import('./dist/node_modules/class-validator/index.js')).isAlpha('Źdźbło', 'pl-PL'))`;
    expect(await output('--input-type=module', '-e', letters)).toBe('true\n');
    expect(await readdir(join(folder, 'dist/src'))).toContain('changed.js');
    // Who has been running since the last build can still load more of it.
    for (const [at, of] of chunks.entries()) expect(await readdir(of)).toContain(last[at]);
    expect((await readdir(folder)).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
    await rm(folder, { recursive: true });
  });
});
