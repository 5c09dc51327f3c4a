import { type OpenAPIObject } from '@nestjs/swagger';

/** The document without the components that nothing in its paths leads to. */
export function withoutUnused(document: OpenAPIObject): OpenAPIObject {
  const { components = {} } = document;
  const used = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(reference)) {
      if (used.has(`${kind}/${name}`)) continue;
      used.add(`${kind}/${name}`);
      visit(Reflect.get(Object(Reflect.get(components, kind)), name));
    }
  };
  visit(document.paths);
  const keep = <T>(kind: string, all: Readonly<Record<string, T>> = {}): Record<string, T> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`${kind}/${name}`)));
  return {
    ...document,
    components: {
      ...components,
      schemas: keep('schemas', components.schemas),
      responses: keep('responses', components.responses),
      headers: keep('headers', components.headers),
    },
  };
}

const reference = /"\$ref":"#\/components\/(\w+)\/([\w.-]+)"/g;
