import { publishedSchema } from '../definitions/source/json-schema.js';

// docs/definition.schema.json, as `npm run definition-schema` writes it.
process.stdout.write(JSON.stringify(publishedSchema()));
