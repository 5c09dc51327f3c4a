import { renderReference } from '../workflows/definition/source/render-reference.js';

// Prints docs/reference/definition.md for `npm run definition-schema`.
process.stdout.write(renderReference());
