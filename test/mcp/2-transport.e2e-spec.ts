import request from 'supertest';
import { readConfig } from '../../src/config.js';
import { startService, type TestService } from '../support/service.js';
import { answerIn, callMessage, demo, listMessage, postMessage, startForAgents } from '../support/agent.js';

// agents.md, 2 and 5: how agents reach the service, and who does not.

const names = async (service: TestService, key: string): Promise<string[]> => {
  const response = await postMessage(service, key, listMessage).expect(200);
  return (answerIn(response).result.tools as { name: string }[]).map(({ name }) => name);
};

const service = await startForAgents({ PUBLIC_URL: 'https://app.test' });
afterAll(() => service.stop());
const key = await service.key('demo');

describe('POST /mcp', () => {
  it('needs a key', async () => {
    for (const wrong of [undefined, 'wts_wrong']) {
      const { headers } = await postMessage(service, wrong, listMessage).expect(401);
      expect(headers['www-authenticate']).toBe('Bearer');
    }
  });

  it('refuses pages of another origin, by whatever name these reach this machine', async () => {
    const { port } = new URL(service.url);
    const ask = (origin: string, host = `127.0.0.1:${port}`): request.Test =>
      postMessage(service, key, listMessage).set('Host', host).set('Origin', origin);
    for (const origin of [`http://127.0.0.1:${port}`, 'https://app.test']) await ask(origin).expect(200);
    await ask(`http://localhost:${port}`, `localhost:${port}`).expect(200);
    const others = [
      'http://evil.test',
      'null',
      '',
      'https://app.test.evil.test',
      `http://localhost:${port}0`,
    ];
    for (const origin of others) await ask(origin).expect(403);
    await ask(`http://evil.test:${port}`, `evil.test:${port}`).expect(403);
  });

  it.each(['get', 'delete', 'put'] as const)('is the only method: %s is 405', async (method) => {
    const asked = request(service.app.getHttpServer())[method]('/mcp').set('Authorization', `Bearer ${key}`);
    const { headers } = await asked.expect(405);
    expect(headers['allow']).toBe('POST');
  });

  it('takes one JSON object of at most 8 MB, and no query, like the HTTP API', async () => {
    await postMessage(service, key, '[]').expect(400);
    await postMessage(service, key, '{').expect(400);
    await postMessage(service, key, JSON.stringify(listMessage))
      .set('Content-Type', 'text/plain')
      .expect(415);
    await request(service.app.getHttpServer())
      .post('/mcp?a=1')
      .set({ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' })
      .send(listMessage)
      .expect(422);
    await postMessage(service, key, JSON.stringify({ ...listMessage, x: 'x'.repeat(8_400_000) })).expect(413);
  });

  it('refuses a value that is too long for a task in the result of the tool', async () => {
    const set = { 'Vendor Name': 'Acme', Notes: 'x'.repeat(4_000_000) };
    const message = callMessage('save_task', { workflow: 'vendors', unique_id: 'V-1', set });
    const response = await postMessage(service, key, message).expect(200);
    expect(response.text.length).toBeLessThanOrEqual(8192);
    const { result } = answerIn(response);
    expect([result.isError, result.structuredContent.refused]).toEqual([true, 'validation']);
    expect(Object.keys(result.structuredContent.errors ?? {})).toEqual(['Notes']);
  });

  it('answers no message outside of the protocol, and keeps no stream open', async () => {
    expect((await postMessage(service, key, { a: 1 })).status).toBe(400);
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const params = { _meta, notifications: {} };
    const listen = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params };
    const response = await postMessage(service, key, listen)
      .set('MCP-Protocol-Version', '2026-07-28')
      .set('MCP-Method', 'subscriptions/listen');
    expect(response.status).toBeLessThan(500);
    expect(response.text).toContain('error');
  });

  it('lets a key of scope read call tools that read, and no others', async () => {
    const reader = await service.key('demo', 'read');
    const read = await postMessage(service, reader, callMessage('describe_workflow', {})).expect(200);
    expect(answerIn(read).result.isError).toBeUndefined();
    for (const tool of ['save_task', 'comment', 'perform_action']) {
      const { result } = answerIn(await postMessage(service, reader, callMessage(tool, {})).expect(200));
      expect(result.structuredContent).toEqual({
        refused: 'forbidden',
        errors: { base: ['This key may only read.'] },
      });
    }
  });

  it('shows a key nothing of another workspace', async () => {
    await service.apply('workspace: { id: other, name: Other }\nworkflows: [{ id: secret, name: Secret, stages: [{ name: A }] }]'); // prettier-ignore
    const { result } = answerIn(await postMessage(service, key, callMessage('describe_workflow', { workflow: 'secret' }))); // prettier-ignore
    expect(result.structuredContent).toMatchObject({ refused: 'not_found' });
  });

  it('reveals nothing of a fault of the service, and lets the agent try again', async () => {
    const { dataSource } = service;
    const place = { workflow: 'vendors', unique_id: 'V-fault' };
    const set = { 'Vendor Name': 'Acme' };
    await postMessage(service, key, callMessage('save_task', { ...place, set })).expect(200);
    await dataSource.query('ALTER TABLE comments RENAME TO comments_away');
    const message = callMessage('comment', { ...place, body: 'x' });
    const response = await postMessage(service, key, message).expect(200);
    await dataSource.query('ALTER TABLE comments_away RENAME TO comments');
    expect(answerIn(response).error).toEqual({ code: -32603, message: 'Something went wrong on our side.' });
  });
});

describe('WTS_MCP', () => {
  it('read has four tools, none of which writes', async () => {
    const service = await startForAgents({ WTS_MCP: 'read', WTS_RATE_LIMIT: '3' });
    try {
      // Requests are counted by the calendar minute.
      await service.settle({ at: '2030-01-01T12:00:00Z' });
      const key = await service.key('demo');
      expect(await names(service, key)).toHaveLength(4);
      const written = answerIn(await postMessage(service, key, callMessage('comment', {}))).result;
      expect(written.structuredContent.refused).toBe('forbidden');
      // The limit of requests holds for agents as for others.
      await postMessage(service, key, listMessage).expect(200);
      await postMessage(service, key, listMessage).expect(429);
    } finally {
      await service.stop();
    }
  });

  it('read is the meaning of an empty setting', () => {
    expect(readConfig({ WTS_MCP: '' }).mcp).toBe('read');
  });

  it('off serves no MCP at all', async () => {
    const service = await startService({ WTS_MCP: 'off' });
    try {
      await service.apply(demo);
      await postMessage(service, await service.key('demo'), listMessage).expect(404);
    } finally {
      await service.stop();
    }
  });
});
