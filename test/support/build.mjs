import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const script = join(import.meta.dirname, '../../tools/build/build.mjs');

/** Builds what the tests import and start, unless the build exists. */
export default function build() {
  execFileSync(process.execPath, [script, '--if-stale'], { stdio: 'inherit' });
}
