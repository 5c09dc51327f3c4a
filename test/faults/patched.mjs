// Started with `--import`, a process runs the built service with the patches that WTS_PATCHES names.
import { register } from 'node:module';

register('./patch-hook.mjs', import.meta.url);
