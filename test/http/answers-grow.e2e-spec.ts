import request from 'supertest';
import { startServiceWith } from '../support/service.js';

const named = (id: string): string =>
  `{ id: ${id}, name: ${id}, stages: [{ name: Größe }], fields: [{ name: Nr, type: uniqueId, required: true }, { name: 名前, type: singleSelect, options: [高, 低] }] }`;
const others = ['a-b', 'a_b', 'A-b', 'A_B'];
const definition = `
workspace: { id: names }
workflows: [${['hub', ...others].map(named).join()}]
relationships: [${others.map((id) => `{ id: to-${id}, kind: many_to_many, from: { workflow: hub, name: Zu ${id} }, to: { workflow: ${id}, name: Von } }`).join()}]
`;

const { service } = await startServiceWith(definition);

const names = service.client(await service.key('names'));
const document = (await request(service.url).get('/docs/openapi.json').expect(200)).body as Document;

describe('A client made from the description of today', () => {
  const operationsOf = ({ paths }: Document): Operation[] =>
    Object.values(paths).flatMap((item) => Object.values(item));

  it('takes answers with further keys and texts, but for those that are complete in this version', () => {
    const answers = operationsOf(document).map(({ responses }) => responses);
    const closed: unknown[] = [];
    for (const schema of withAllReferences(document, answers))
      JSON.stringify(schema, (_, part: Closable | null) => {
        if (part?.additionalProperties === false || Array.isArray(part?.enum)) closed.push(part.enum);
        return part;
      });
    const promised = [['Blank', 'Skipped', 'Completed'], ['Pending', 'Success', 'Fail'], ['Fail']];
    expect(new Set(closed.map(String))).toEqual(new Set(promised.map(String)));
  });

  it('"schemas and operations have plain ASCII ids", unique in any case, whatever workflows and fields are called', async () => {
    const { body } = await names.get('/api/v1/workflows/hub/openapi.json').expect(200);
    for (const one of [document, body as Document]) {
      const ids = operationsOf(one).map(({ operationId }) => operationId);
      const schemas = Object.keys(one.components.schemas);
      expect([...ids, ...schemas].filter((id) => !/^[A-Za-z][A-Za-z0-9_]*$/.test(id))).toEqual([]);
      for (const all of [ids, schemas])
        expect(new Set(all.map((id) => id.toLowerCase())).size).toBe(all.length);
    }
    const again = await names.get('/api/v1/workflows/hub/openapi.json').expect(200);
    expect(again.text).toBe(JSON.stringify(body));
    const { schemas } = (body as Document).components;
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(['LinkedTask_a_b', 'Reference_a_b']));
    expect(Object.keys(schemas).filter((name) => name.startsWith('LinkedTask_'))).toHaveLength(4);
  });
});

/** These parts of the document, and the schemas that they refer to, directly or through others. */
function withAllReferences({ components }: Document, parts: readonly object[]): readonly object[] {
  const all = new Set(parts);
  // The set grows while the loop reads it.
  for (const part of all)
    for (const [, name = ''] of JSON.stringify(part).matchAll(/schemas\/(\w+)"/g))
      all.add(components.schemas[name] ?? {});
  return [...all];
}

interface Closable {
  readonly additionalProperties?: unknown;
  readonly enum?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly responses: object;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}
