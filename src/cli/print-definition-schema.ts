import { publishedSchema } from '../workflows/definition/source/json-schema.js';

// Prints docs/definition.schema.json for `npm run definition-schema`.
process.stdout.write(JSON.stringify(publishedSchema()));
