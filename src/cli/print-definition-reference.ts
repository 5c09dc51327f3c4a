import { renderReference } from './definition-reference.js';

// Prints docs/reference/definition.md for `npm run definition-schema`.
process.stdout.write(renderReference());
