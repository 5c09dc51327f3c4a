// Writes the JSON Schema of definitions and their reference: `npm run definition-schema`.
import { writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { publishedSchema } from '../dist/src/workflows/definition/source/json-schema.js';
import { renderReference } from '../dist/tools/definition-reference.js';

const file = 'docs/definition.schema.json';
const options = { ...(await resolveConfig(file)), filepath: file };
writeFileSync(file, await format(JSON.stringify(publishedSchema()), options));
writeFileSync('docs/reference/definition.md', renderReference());
