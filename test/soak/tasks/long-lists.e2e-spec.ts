import { everyType } from '../../support/definitions.js';
import { startService, type TestService } from '../../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';

describe('4.1 long lists', () => {
  let service: TestService;
  let key: string;
  let before: number;

  beforeAll(async () => {
    service = await startService();
    await service.apply(everyType);
    key = await service.key('acme');
    await service.client(key).post(tasks, { ID: 'first' }).expect(201);
    // 60,000 tasks of 1 kB, and twenty of 1 MB each.
    await copy(60_000, 1000);
    await copy(20, 1_000_000);
    before = process.memoryUsage().rss;
  });
  afterAll(() => service.stop());

  async function copy(count: number, size: number): Promise<void> {
    await service.dataSource.query(
      `INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, field_values)
       SELECT t.workspace_id, t.workflow_id, n, $2 || '-' || n, t.stage_id, true,
         jsonb_build_object((SELECT id FROM fields WHERE name = 'Long Text'), repeat('x', $2::integer))
       FROM tasks t, generate_series(1, $1::integer) n WHERE unique_value = 'first'`,
      [count, size],
    );
  }

  async function open(): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    const answer = await fetch(service.url + tasks, { headers: { Authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
    if (!answer.body) throw new Error('no body');
    return answer.body.getReader();
  }

  it('are complete and stream in constant memory', async () => {
    const reader = await open();
    const decoder = new TextDecoder();
    let count = 0;
    let last = '';
    let most = 0;
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      const text = last.slice(-30) + decoder.decode(chunk.value, { stream: true });
      count += text.split('"Assigned To":').length - 1 - (last.slice(-30).split('"Assigned To":').length - 1);
      last = text;
      most = Math.max(most, process.memoryUsage().rss - before);
    }
    expect(count).toBe(60_021);
    expect(last.endsWith('}]')).toBe(true);
    // The client is in this process too, and so is the test's runner.
    expect(most).toBeLessThan(250 * 2 ** 20);
  });
});
