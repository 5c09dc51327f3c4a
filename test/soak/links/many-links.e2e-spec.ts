import { type Response } from 'supertest';
import { type Client } from '../../support/service.js';
import { companies, invoices, service, type Task, versionIn, yaml } from '../../links/linking.js';

describe('4.2 linked tasks', () => {
  describe('many links', () => {
    let many: Client;
    /** Of 12,000 invoices. */
    let all: readonly string[];

    beforeAll(async () => {
      many = await service.clientOf(yaml.replace('{ id: acme, name: Acme }', '{ id: many, name: Many }'));
      await many.post(invoices, { 'Invoice ID': 'first', Amount: 7 }).expect(201);
      await service.dataSource.query(
        `INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, field_values)
         SELECT t.workspace_id, t.workflow_id, 'p' || n, 'n' || n, t.stage_id, true, t.field_values
         FROM tasks t, generate_series(1, 12000) n
         WHERE unique_value = 'first' AND workspace_id = (SELECT id FROM workspaces WHERE slug = 'many')`,
      );
      await service.dataSource.query('ANALYZE tasks');
      all = Array.from({ length: 12_000 }, (_, n) => `n${n + 1}`);
    });

    const references = (ids: readonly string[]): object[] => ids.map((id) => ({ 'Invoice ID': id }));
    const idsIn = (body: unknown): unknown[] =>
      (body as { Invoices: Task[] }).Invoices.map((invoice) => invoice['Invoice ID']);

    it('10,001 new references in one array are refused, and nothing is written', async () => {
      const payload = { 'Company ID': 'C', Invoices: references(all.slice(0, 10_001)) };
      const { body } = await many.post(companies, payload).expect(422);
      expect(body).toEqual({ errors: { Invoices: ['links more than 10,000 new tasks at once'] } });
      await many.get(`${companies}/C`).expect(404);
    });

    it('40,000 references to nothing are refused with a short answer', async () => {
      const nothing = Array.from({ length: 40_000 }, (_, n) => `none-${n}`);
      const { body, text } = await many.post(companies, { 'Company ID': 'C', Invoices: references(nothing) });
      const { Invoices: messages } = (body as { errors: { Invoices: string[] } }).errors;
      expect(messages[0]).toBe('does not exist: none-0');
      expect(text.length).toBeLessThan(10_000);
      await many.get(`${companies}/C`).expect(404);
    });

    describe('12,000 of a task', () => {
      let written: Response;

      beforeAll(async () => {
        const payload = { 'Company ID': 'C', Name: 'many' };
        const first = await many.post(companies, { ...payload, Invoices: references(all.slice(0, 10_000)) });
        expect([first.status, idsIn(first.body)]).toEqual([201, all.slice(0, 10_000)]);
        await service.dataSource.query('ANALYZE links');
        written = await many.put(companies, { ...payload, Invoices: references(all) }).expect(200);
        await many.post(companies, { 'Company ID': 'after' }).expect(201);
      });

      it('the answer of the write is complete and right', () => {
        const { Invoices: linked, ...rest } = written.body as { Invoices: Task[] };
        expect(linked.map((invoice) => invoice['Invoice ID'])).toEqual(all);
        expect(linked[11_999]).toEqual({ ...linked[0], 'Task URL': expect.stringMatching(/\/p12000$/) as unknown, 'Invoice ID': 'n12000' }); // prettier-ignore
        expect(linked[0]).toMatchObject({ Stage: 'Open', 'Invoice ID': 'n1', Amount: '7.00', Scan: [] });
        expect(rest).toMatchObject({ 'Company ID': 'C', Name: 'many', CEO: null, Seat: null, Staff: [] });
        expect(versionIn(written)).toBe(2);
      });

      it('so is that of GET, with the same ETag', async () => {
        const answer = await many.get(`${companies}/C`).expect(200);
        expect(answer.text === written.text).toBe(true);
        expect(answer.headers['etag']).toBe(written.headers['etag']);
        await many.get(`${companies}/C`).set('If-None-Match', String(answer.headers['etag'])).expect(304);
      });

      it('a round trip changes nothing, for only new references are counted', async () => {
        for (const verb of ['put', 'post'] as const) {
          const again = { ...(written.body as Task), Invoices: references(idsIn(written.body) as string[]) };
          const answer = await many[verb](companies, again).expect(200);
          expect(answer.text === written.text).toBe(true);
          expect(answer.headers['etag']).toBe(written.headers['etag']);
        }
      });

      it('a task with this many links can be deleted', async () => {
        await many.put(companies, { 'Company ID': 'C', Invoices: references(all.slice(0, 6000)) }).expect(200); // prettier-ignore
        await many.delete(`${companies}/C`).expect(204);
        const { body } = await many.get(`${invoices}?_fields=Company`).expect(200);
        expect((body as Task[]).filter(({ Company }) => Company !== null)).toEqual([]);
      });
    });
  });
});
