#!/usr/bin/env node
import { env, exit, stderr, stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { createClient } from './client.js';
import { type DescribedWorkflow, describeTypes } from './describe-types.js';

const { values } = parseArgs({ options: { url: { type: 'string' }, key: { type: 'string' } } });
const { url, key = env['WTS_KEY'] } = values;
if (url === undefined || key === undefined) {
  stderr.write('usage: wts-types --url https://tasks.acme.test --key wts_… (or WTS_KEY=wts_…) > wts.d.ts\n');
  exit(2);
}
try {
  const wts = createClient({ url, key });
  const workspace = await wts.request<{ id: string }>('GET', '/api/v1/workspace');
  const workflows = await wts.request<{ id: string }[]>('GET', '/api/v1/workflows');
  const described: DescribedWorkflow[] = [];
  for (const { id } of workflows.body)
    described.push(
      (await wts.request<DescribedWorkflow>('GET', `/api/v1/workflows/${encodeURIComponent(id)}`)).body,
    );
  stdout.write(describeTypes(workspace.body.id, described));
} catch (error) {
  stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  exit(1);
}
