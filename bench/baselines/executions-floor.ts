import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import Bull from 'bull';
import pg from 'pg';
import { readConfig } from '../../src/config.js';

// The floor of executions: one row and one job per request, and one update per job.
const { port, databaseUrl, redisUrl, poolSize } = readConfig();
const pool = new pg.Pool({ connectionString: databaseUrl, max: poolSize });
const queue = new Bull<{ id: string }>('floor', redisUrl ?? '');
const job = { removeOnComplete: true, removeOnFail: true };

await queue.isReady();
void queue.process(8, async ({ data }) => {
  const text = `UPDATE floor_executions SET status = 'Success' WHERE id = $1`;
  await pool.query({ name: 'finish', text, values: [data.id] });
});

createServer((request, response) => {
  begin(request).then(
    (id) => {
      response.writeHead(202, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id, status: 'Pending' }));
    },
    (error: unknown) => {
      response.writeHead(500).end(String(error));
    },
  );
}).listen(port);

async function begin(request: NodeJS.ReadableStream): Promise<string> {
  const { task_id, action_id } = (await json(request)) as { task_id: string; action_id: string };
  const text = 'INSERT INTO floor_executions (task, action) VALUES ($1, $2) RETURNING id';
  const { rows } = await pool.query<{ id: string }>({ name: 'enter', text, values: [task_id, action_id] });
  const id = rows[0]?.id ?? '';
  await queue.add({ id }, job);
  return id;
}
