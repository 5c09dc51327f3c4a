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
  const general = async (): Promise<string> =>
    (await request(service.url).get('/docs/openapi.json').expect(200)).text;
  const documentOf = async (client: Client, workflow: string): Promise<string> =>
    (await client.get(`/api/v1/workflows/${workflow}/openapi.json`).expect(200)).text;

  const lint = async (source: string): Promise<string[]> => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
    return problems.map(
      ({ ruleId, message, location: [place] }) => `${ruleId}: ${message} ${String(place?.pointer)}`,
    );
  };

  it('is served to everybody, and making it logs nothing', async () => {
    const answer = await request(service.url).get('/docs/openapi.json').expect(200);
    expect(answer.body).toMatchObject({ openapi: '3.1.0', info: { title: 'Workflow Task Service' } });
    expect(logged).toEqual([]);
  });

  it('is a page that needs nothing from elsewhere', async () => {
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

  it('names its schemas as the classes are named, whatever a bundle makes of these', async () => {
    const { components } = JSON.parse(await general()) as { components: { schemas: object } };
    expect(Object.keys(components.schemas).filter((name) => !/^[A-Z][A-Za-z]+$/.test(name))).toEqual([]);
  });

  it('lints clean by the recommended rules, as a whole and for each workflow', async () => {
    expect(await lint(await general())).toEqual([]);
    expect(await lint(await documentOf(things, 'things'))).toEqual([]);
    expect(await lint(await documentOf(plain, 'plain'))).toEqual([]);
  });

  it('describes every route that the service has', async () => {
    const routes = routesOf(service.app).filter((route) => !/ \/$|\*|\/docs(\/:asset)?$/.test(route));
    const { paths } = JSON.parse(await general()) as { paths: Record<string, object> };
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(described.toSorted()).toEqual(routes);
  });

  it('names no parameter of an operation twice, and each that a list of tasks takes', async () => {
    const { paths } = JSON.parse(await general()) as WorkflowDocument;
    const described = Object.values(paths).flatMap((item) => Object.values(item));
    for (const { operationId, parameters } of described) {
      const names = parameters.map((one) => `${one.in} ${one.name}`);
      expect([operationId, names]).toEqual([operationId, [...new Set(names)]]);
    }
    const list = paths['/api/v1/workflows/{workflow_id}/tasks']?.['get']?.parameters ?? [];
    const query = list.flatMap((one) => (one.in === 'query' ? [one.name] : []));
    const known = 'filters _limit _after _sort _fields _count _search _overdue _active _any'.split(' ');
    expect(query.toSorted()).toEqual(known.toSorted());
  });

  it('shows the lines of a batch as a text, and what a line is', async () => {
    const { paths, components } = JSON.parse(await documentOf(acme, 'vendors')) as WorkflowDocument;
    const { responses } = paths['/api/v1/workflows/vendors/tasks/batch']?.['post'] ?? {};
    const [line, last] = ['BatchLine', 'SyncLine'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    expect(responses?.['200']?.content?.['application/x-ndjson']?.schema).toMatchObject({
      type: 'string',
      contentSchema: { anyOf: [line, last] },
    });
    expect(components.schemas).toMatchObject({ BatchLine: { required: ['row', 'status', 'unique_id'] } });
  });

  it('of a workflow: knows its fields, options, stages, links and actions', async () => {
    const { paths, components } = JSON.parse(await documentOf(acme, 'vendors')) as WorkflowDocument;
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

  it('of a workflow: names no parameter twice, and the exact name of a field counts', async () => {
    const sizes = await service.clientOf(`
workspace: { id: sizes }
workflows:
  - id: boxes
    name: Boxes
    stages: [{ name: Open }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Size, type: text }, { name: "Size[ne]", type: text }, { name: Next.Size, type: text }]
relationships:
  - { id: next, kind: one_to_many, from: { workflow: boxes, name: Next }, to: { workflow: boxes, name: Former } }`);
    const { paths } = JSON.parse(await documentOf(sizes, 'boxes')) as WorkflowDocument;
    const { parameters = [] } = paths['/api/v1/workflows/boxes/tasks']?.['get'] ?? {};
    const names = parameters.map(({ name }) => name);
    expect(names).toHaveLength(new Set(names).size);
    const exact = parameters.filter(({ name }) => ['Size[ne]', 'Next.Size'].includes(name));
    const description = 'Equals this value, or one of several; empty means blank.';
    expect(exact).toMatchObject([{ description }, { description }]);
  });

  it('of a workflow without a Unique ID: leaves out what could only be refused', async () => {
    const { paths } = JSON.parse(await documentOf(plain, 'plain')) as WorkflowDocument;
    expect(Object.keys(paths).filter((path) => /unique_id|executions|files/.test(path))).toEqual([]);
    expect(paths).toHaveProperty(['/api/v1/workflows/plain/tasks']);
  });

  it('of a workflow: holds the tasks that the service shows, blank and filled', async () => {
    const document = JSON.parse(await documentOf(things, 'things')) as object;
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
    expect(await documentOf(plain, 'plain')).toContain('"More"');
  });

  it('holds every answer of the tests: an unknown status, header or body fails them', async () => {
    const path = '/api/v1/workflows/vendors/tasks';
    const answer = await acme.get(`${path}/none`).expect(404);
    const described = new DescribedAnswers(
      JSON.parse(await general()) as ConstructorParameters<typeof DescribedAnswers>[0],
    );
    const check =
      (method: string, to: string, change: object): (() => void) =>
      () => {
        described.check(method, to, Object.assign(Object.create(answer) as typeof answer, change));
      };
    expect(check('GET', `${path}/none`, {})).not.toThrow();
    expect(check('GET', `${path}/none`, { status: 418 })).toThrow('no such status');
    expect(check('PATCH', `${path}/none`, { status: 200 })).toThrow('no such operation');
    expect(check('GET', `${path}/none`, { body: { title: 'Not Found' } })).toThrow('required');
    expect(check('GET', `${path}/none`, { headers: { ...answer.headers, 'x-powered-by': 'us' } })).toThrow(
      'x-powered-by',
    );
    expect(
      check('GET', `${path}/none`, { headers: { ...answer.headers, 'content-type': 'text/html' } }),
    ).toThrow('text/html');
    const { 'x-request-id': _, ...headers } = answer.headers as Record<string, string>;
    expect(check('GET', `${path}/none`, { headers })).toThrow('X-Request-Id is missing');
  });
});

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

interface WorkflowDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: object };
}
