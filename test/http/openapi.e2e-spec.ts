import { createConfig, lintFromString } from '@redocly/openapi-core';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import request from 'supertest';
import { createLogger } from '../../src/common/logger.js';
import { everyType } from '../support/definitions.js';
import { DescribedAnswers } from '../support/described-answers.js';
import { routesOf } from '../support/routes.js';
import { type Client, startService } from '../support/service.js';

const onboarding = readFileSync(join(import.meta.dirname, '../fixtures/onboarding.yaml'), 'utf8');
const bare = `
workspace: { id: bare }
workflows: [{ id: plain, name: Plain, stages: [{ name: Open }], fields: [{ name: Note, type: text }] }]
`;

const named = (id: string): string =>
  `{ id: ${id}, name: ${id}, stages: [{ name: Größe }], fields: [{ name: Nr, type: uniqueId, required: true }, { name: 名前, type: singleSelect, options: [高, 低] }] }`;
const others = ['a-b', 'a_b', 'A-b', 'A_B'];
const oddlyNamed = `
workspace: { id: names }
workflows: [${['hub', ...others].map(named).join()}]
relationships: [${others.map((id) => `{ id: to-${id}, kind: many_to_many, from: { workflow: hub, name: Zu ${id} }, to: { workflow: ${id}, name: Von } }`).join()}]
`;

/** What the service warns of. */
const logged: string[] = [];
const service = await startService(
  {},
  createLogger('warn', { write: (line: string) => void logged.push(line) }),
);
afterAll(() => service.stop());
const acme = await service.clientOf(onboarding);
const things = await service.clientOf(everyType.replace('id: acme', 'id: every'));
const plain = await service.clientOf(bare);

describe('OpenAPI', () => {
  const general = async (): Promise<Document> =>
    (await request(service.url).get('/docs/openapi.json').expect(200)).body as Document;
  const documentOf = (client: Client, workflow: string): Promise<Document> =>
    client.read(`/api/v1/workflows/${workflow}/openapi.json`);
  const operationsOf = ({ paths }: Document): Operation[] =>
    Object.values(paths).flatMap((methods) => Object.values(methods));

  const lint = async (document: Document): Promise<string[]> => {
    const source = JSON.stringify(document);
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
    return problems.map(
      ({ ruleId, message, location: [place] }) => `${ruleId}: ${message} ${String(place?.pointer)}`,
    );
  };

  it('is served to everybody, and is made without log lines', async () => {
    const answer = await request(service.url).get('/docs/openapi.json').expect(200);
    expect(answer.body).toMatchObject({ openapi: '3.1.0', info: { title: 'Workflow Task Service' } });
    expect(logged).toEqual([]);
  });

  it('is a page that loads nothing from other hosts', async () => {
    const { text, headers } = await request(service.url)
      .get('/docs')
      .expect(200)
      .expect('Content-Type', /html/);
    expect((headers as Record<string, string>)['content-security-policy']).toContain("default-src 'self'");
    const needed = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
    for (const path of needed.filter((path) => !path.startsWith('data:'))) {
      expect(path).not.toContain('//');
      await request(service.url).get(`/${path}`).expect(200);
    }
    await request(service.url).get('/docs/package.json').expect(404);
  });

  it('passes the recommended lint rules, as a whole and for each workflow', async () => {
    expect(await lint(await general())).toEqual([]);
    expect(await lint(await documentOf(things, 'things'))).toEqual([]);
    expect(await lint(await documentOf(plain, 'plain'))).toEqual([]);
  });

  it('describes every route that the service has', async () => {
    const routes = routesOf(service.app).filter((route) => !/ \/$|\*|\/docs(\/:asset)?$/.test(route));
    const { paths } = await general();
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(described.toSorted()).toEqual(routes);
  });

  it('names each parameter of an operation once, and all parameters of a list of tasks', async () => {
    const document = await general();
    expect(operationsOf(document).filter(hasParameterTwice)).toEqual([]);
    const list = document.paths['/api/v1/workflows/{workflow_id}/tasks']?.['get']?.parameters ?? [];
    const query = list.flatMap((one) => (one.in === 'query' ? [one.name] : []));
    const known = 'filters _limit _after _sort _fields _count _search _overdue _active _any'.split(' ');
    expect(query.toSorted()).toEqual(known.toSorted());
  });

  it('"schemas and operations have plain ASCII ids", unique in any case, for any names of workflows', async () => {
    const hub = await service.clientOf(oddlyNamed);
    const ofHub = await documentOf(hub, 'hub');
    for (const document of [await general(), ofHub]) {
      const operations = operationsOf(document).map(({ operationId }) => operationId);
      for (const ids of [operations, Object.keys(document.components.schemas)]) {
        expect(ids.filter((id) => !/^[A-Za-z][A-Za-z0-9_]*$/.test(id))).toEqual([]);
        expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(ids.length);
      }
    }
    const { schemas } = ofHub.components;
    expect(Object.keys(schemas).filter((name) => name.startsWith('LinkedTask_'))).toHaveLength(4);
    expect(schemas).toMatchObject({ LinkedTask_a_b: {}, Reference_a_b: {} });
    expect(await documentOf(hub, 'hub')).toEqual(ofHub);
  });

  it('describes the lines of a batch as a text, and each line', async () => {
    const { paths, components } = await documentOf(acme, 'vendors');
    const { responses } = paths['/api/v1/workflows/vendors/tasks/batch']?.['post'] ?? {};
    expect(responses?.['200']?.content?.['application/x-ndjson']?.schema).toMatchObject({
      type: 'string',
      contentSchema: { $ref: '#/components/schemas/BatchLine' },
    });
    expect(components.schemas).toMatchObject({ BatchLine: { required: ['row', 'status', 'unique_id'] } });
  });

  it('of a workflow: knows its fields, options, stages, links and actions', async () => {
    const { paths, components } = await documentOf(acme, 'vendors');
    expect(components.schemas).toMatchObject({
      Stage: { enum: ['New', 'In Review', 'Approved', 'Rejected'] },
      ActionId: { enum: ['start-review', 'approve', 'reject'] },
      RelationshipName: { enum: ['Invoices'] },
      FieldName: { enum: ['Contract'] },
      NewTask: {
        additionalProperties: false,
        required: ['Vendor ID', 'Vendor Name'],
        properties: {
          Risk: { enum: ['Low', 'Medium', 'High', null] },
          'Contract Value': { type: ['string', 'number', 'null'] },
          Contract: { maxItems: 5 },
        },
      },
      TaskUpdate: { required: ['Vendor ID'] },
      Reference_invoices: { required: ['Invoice ID'] },
    });
    const names = paths['/api/v1/workflows/vendors/tasks']?.['get']?.parameters.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['Stage', 'Contract Value[gte]', 'Regions[contains]', '_limit']),
    );
    expect(names).not.toEqual(expect.arrayContaining(['Contract']));
  });

  it('of a workflow: names each parameter once, and prefers the exact name of a field', async () => {
    const sizes = await service.clientOf(`
workspace: { id: sizes }
workflows:
  - id: boxes
    name: Boxes
    stages: [{ name: Open }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Size, type: text }, { name: "Size[ne]", type: text }, { name: Next.Size, type: text }]
relationships:
  - { id: next, kind: one_to_many, from: { workflow: boxes, name: Next }, to: { workflow: boxes, name: Former } }`);
    const document = await documentOf(sizes, 'boxes');
    expect(operationsOf(document).filter(hasParameterTwice)).toEqual([]);
    const { parameters = [] } = document.paths['/api/v1/workflows/boxes/tasks']?.['get'] ?? {};
    const exact = parameters.filter(({ name }) => ['Size[ne]', 'Next.Size'].includes(name));
    const description = 'Equals this value, or one of several; empty means blank.';
    expect(exact).toMatchObject([{ description }, { description }]);
  });

  it('of a workflow without a Unique ID: leaves out operations that would always be refused', async () => {
    const { paths } = await documentOf(plain, 'plain');
    expect(Object.keys(paths).filter((path) => /unique_id|executions|files/.test(path))).toEqual([]);
    expect(paths).toHaveProperty(['/api/v1/workflows/plain/tasks']);
  });

  it('of a workflow: describes the tasks that the service shows, blank and filled', async () => {
    const document = await documentOf(things, 'things');
    const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, 'd');
    const isTask = ajv.compile({ $ref: 'd#/components/schemas/Task' });
    const isPayload = ajv.compile({ $ref: 'd#/components/schemas/UpsertTask' });
    await things.post('/api/v1/workflows/parts/tasks', { 'Part ID': 'P' }).expect(201);
    const filled = {
      ID: '2',
      Text: 'a',
      'Long Text': 'b\nc',
      Number: 1.5,
      Price: '3',
      Phone: '+49 30 123456',
      Day: '2026-01-02',
      Moment: '2026-01-02T03:04:05Z',
      Owner: 'mina@acme.test',
      Tier: 'Gold',
      Regions: ['EMEA'],
      'Open?': true,
      Contract: [{ filename: 'a.txt', contentType: 'text/plain', base64contents: 'YQ==' }],
      'E-mail': 'a@b.test',
      Website: 'https://a.test/',
      Parts: [{ 'Part ID': 'P' }],
    };
    for (const payload of [{ ID: '1' }, filled]) {
      expect([isPayload(payload), isPayload.errors]).toEqual([true, null]);
      const { body: task } = await things.post('/api/v1/workflows/things/tasks', payload).expect(201);
      expect([isTask(task), isTask.errors]).toEqual([true, null]);
      // The round trip is within the description too.
      expect([isPayload(task), isPayload.errors]).toEqual([true, null]);
    }
    expect(isPayload({ ID: '1', Colour: 'red' })).toBe(false);
    expect(isPayload({ ID: '1', Tier: 'Bronze' })).toBe(false);
  });

  it('changes with the definition', async () => {
    await service.apply(
      bare.replace('{ name: Note, type: text }', '{ name: Note, type: text }, { name: More, type: date }'),
    );
    expect(JSON.stringify(await documentOf(plain, 'plain'))).toContain('"More"');
  });

  it.each([
    ['operation', 'PATCH', { status: 200 }, 'no such operation'],
    ['status', 'GET', { status: 418 }, 'no such status'],
    ['body', 'GET', { body: { title: 'Not Found' } }, 'required'],
    ['type', 'GET', { headers: { 'content-type': 'text/html', 'x-request-id': 'x' } }, 'text/html'],
    ['lack of its id', 'GET', { headers: {} }, 'X-Request-Id'],
  ])(
    'describes every answer of the tests: an unknown %s fails the tests',
    async (_, method, change, fault) => {
      const described = new DescribedAnswers((await general()) as never);
      const path = '/api/v1/workflows/vendors/tasks/none';
      const answer = await acme.get(path).expect(404);
      expect(() => {
        described.check(method, path, Object.assign(Object.create(answer) as typeof answer, change));
      }).toThrow(fault);
    },
  );
});

function hasParameterTwice({ parameters }: Operation): boolean {
  return new Set(parameters.map((one) => `${one.in} ${one.name}`)).size < parameters.length;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>>; // prettier-ignore
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}
