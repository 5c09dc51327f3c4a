import { renderReference } from '../definitions/source/render-reference.js';

// docs/reference/definition.md, as `npm run definition-schema` writes it.
process.stdout.write(renderReference());
