import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../project-folder.js';
import { type JsonValue } from './json-value.js';

/** Checks a plain document by docs/definition.schema.json and tells everything that is wrong. */
export function findSchemaErrors(document: JsonValue): ErrorObject[] {
  const validate = (compiled ??= compile());
  validate(document);
  return (validate.errors ?? []).filter((error) => !isToldElsewhere(error));
}

// What depends on the type of a field is for editors; `checkSettings` tells it in words.
function isToldElsewhere({ keyword, schemaPath }: ErrorObject): boolean {
  return keyword === 'if' || (keyword === 'false schema' && !schemaPath.includes('/dependentSchemas/'));
}

// Compiled when first needed: most processes never read a definition.
let compiled: ReturnType<typeof compile> | undefined;

function compile() {
  const ajv = new Ajv2020({ allErrors: true, verbose: true, discriminator: true, allowUnionTypes: true });
  const schema: unknown = JSON.parse(
    readFileSync(join(projectFolder(), 'docs/definition.schema.json'), 'utf8'),
  );
  return ajv.compile(isSchema(schema) ? schema : false);
}

function isSchema(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
