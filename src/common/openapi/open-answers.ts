import { type OpenAPIObject } from '@nestjs/swagger';
import { executionStatuses, itemStatuses } from '../column-values.js';
import { mapOperations, operationsOf } from './operations.js';
import { componentsUsedBy, mapped, type Schema } from './vocabulary.js';

/**
 * The document with answers that may grow (docs/decisions/openapi-at-controllers.md): objects in answers may get
 * further keys, and enumerated texts further values. Requests stay closed: their keys and texts must all be known.
 */
export function openAnswers(document: OpenAPIObject, openBodies: ReadonlySet<string>): OpenAPIObject {
  const { components = {} } = document;
  const requests = operationsOf(document.paths).map(({ requestBody, parameters }) => [
    requestBody,
    parameters,
  ]);
  const sent = componentsUsedBy(components, requests);
  const schemas = mapped(components.schemas ?? {}, (schema, name) => {
    if (!sent.has(`schemas/${name}`)) return opened(schema);
    return 'properties' in schema && !openBodies.has(name)
      ? { additionalProperties: false, ...schema }
      : schema;
  });
  return {
    ...document,
    paths: mapOperations(document.paths, (one) => ({ ...one, responses: opened(one.responses) })),
    components: { ...components, schemas, responses: opened(components.responses ?? {}) },
  };
}

/** A text in an answer, with today's values. A generated client that took them as complete would refuse a new value. */
export const mayGrow = (values: readonly unknown[], { description = '', type }: Texts = {}): Schema => ({
  type: type ?? (values.includes(null) ? ['string', 'null'] : 'string'),
  description: `${description} Others may be added.`.trim(),
  'x-extensible-enum': values,
});

interface Texts {
  readonly description?: string;
  readonly type?: string | string[];
}

/** Enumerations that stay complete in this version of the API. */
const promised = new Set([executionStatuses, itemStatuses, ['Fail']].map(String));

interface Inner extends Texts {
  readonly enum?: unknown;
  readonly additionalProperties?: unknown;
}

/** Schemas of answers, open for what may be added. */
function opened<Part>(part: Part): Part {
  return JSON.parse(JSON.stringify(part), (_, schema: Inner | null) => {
    if (typeof schema !== 'object' || !schema || Array.isArray(schema)) return schema;
    const { enum: values, additionalProperties: others, ...rest } = schema;
    const isOpen = !Array.isArray(values) || promised.has(String(values));
    return {
      ...rest,
      ...(values !== undefined && (isOpen ? { enum: values } : mayGrow(values, rest))),
      ...(others !== undefined && others !== false && { additionalProperties: others }),
    };
  }) as Part;
}
