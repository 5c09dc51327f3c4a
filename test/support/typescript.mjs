import { register } from 'node:module';

// Lets plain Node run the sources: `node --import ./test/support/typescript.mjs src/main.ts`.
register('./typescript-hooks.mjs', import.meta.url);
