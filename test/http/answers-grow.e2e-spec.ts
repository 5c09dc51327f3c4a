import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import request from 'supertest';
import { type Examples } from '../../src/common/openapi/examples.js';
import { startServiceWith } from '../support/service.js';

const examples = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../docs/examples/answers.json'), 'utf8'),
) as Examples;

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
  const operationsOf = ({ paths }: Document): [string, Operation][] =>
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, one]): [string, Operation] => [
        `/paths/${escape(path)}/${method}`,
        one,
      ]),
    );

  it('takes answers with further keys, and with texts and kinds that it does not know yet', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, 'today');
    const growing = growingTexts(document);
    let grown = 0;
    for (const [place, { operationId, responses }] of operationsOf(document))
      for (const [status, answer] of Object.entries(examples.operations[operationId]?.answers ?? {})) {
        if (typeof answer !== 'object' || answer === null) continue;
        const type =
          'application/json' in (responses[status]?.content ?? {})
            ? 'application~1json'
            : 'application~1x-ndjson';
        const ref = `today#${place}/responses/${status}/content/${type}/schema`;
        const body = later(answer, growing, operationId.endsWith('OpenApi'));
        expect([operationId, ajv.validate({ $ref: ref }, body), ajv.errors]).toEqual([
          operationId,
          true,
          null,
        ]);
        grown += JSON.stringify(body) === JSON.stringify(answer) ? 0 : 1;
      }
    expect(grown).toBeGreaterThan(50);
  });

  it('"schemas and operations have plain ASCII ids", unique in any case, whatever workflows and fields are called', async () => {
    const { body } = await names.get('/api/v1/workflows/hub/openapi.json').expect(200);
    for (const one of [document, body as Document]) {
      const ids = operationsOf(one).map(([, { operationId }]) => operationId);
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

/** The texts of answers that may become others. */
function growingTexts(document: Document): ReadonlySet<unknown> {
  const texts = new Set<unknown>();
  JSON.stringify(document, (_, part: unknown) => {
    const { 'x-extensible-enum': values = [], const: one } = Object(part) as Growing;
    for (const text of [...values, one]) if (typeof text === 'string') texts.add(text);
    return part;
  });
  for (const promised of ['Success', 'Fail']) texts.delete(promised);
  return texts;
}

/** An answer as a later version might give it. */
function later(value: unknown, growing: ReadonlySet<unknown>, isLeft: boolean): unknown {
  if (isLeft) return value;
  if (Array.isArray(value)) return value.map((one) => later(one, growing, false));
  if (typeof value !== 'object' || value === null)
    return growing.has(value) ? `${String(value)}_later` : value;
  const entries = Object.entries(value).map(([name, one]) => [name, later(one, growing, maps.has(name))]);
  return { ...Object.fromEntries(entries), 'Added Later': 'text' };
}

/** Not objects of the interface, but tables by names that others give. */
const maps = new Set(['errors', 'changes', 'settings', 'fields', 'requirements', 'holidays']);

const escape = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

interface Growing {
  readonly 'x-extensible-enum'?: readonly unknown[];
  readonly const?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<
    Record<string, { post: { requestBody: { content: Readonly<Record<string, { schema: object }>> } } }>
  >;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
  };
}
