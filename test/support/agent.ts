import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import request from 'supertest';
import { createApiKey } from '../../src/access/api-keys.js';
import { readNarrowing, type WantedNarrowing } from '../../src/access/narrow-key.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';
import { FieldErrors } from '../../src/common/field-errors.js';
import { startService, type TestService } from './service.js';

export const demo = readFileSync(join(import.meta.dirname, '../../docs/examples/onboarding.yaml'), 'utf8');

/** The answer of a tool as models see it. */
export interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent: Structured;
}

export interface Structured extends Record<string, unknown> {
  readonly refused?: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  readonly unmet?: readonly string[];
  readonly did_you_mean?: Readonly<Record<string, string>>;
  readonly next?: string;
  readonly values?: Record<string, never>;
}

/** The official client, connected with a key by one revision. */
export interface Agent {
  readonly revision: string | undefined;
  readonly instructions: string | undefined;
  list(): Promise<readonly { readonly name: string; readonly annotations?: object | undefined }[]>;
  call(tool: string, given?: Record<string, unknown>): Promise<Result>;
  /** What a call of this tool answers for programs. */
  ask(tool: string, given?: Record<string, unknown>): Promise<Structured>;
  close(): Promise<void>;
}

export type Revision = '2025-11-25' | '2026-07-28';

export async function connectAgent(url: string, key: string, revision: Revision): Promise<Agent> {
  const address = new URL('/mcp', url);
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  const info = { name: 'test', version: '1' };
  // `legacy` is the handshake of clients before 2026.
  const mode = revision === '2026-07-28' ? { pin: revision } : 'legacy';
  const client = new Client(info, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
  const call = async (name: string, given = {}): Promise<Result> =>
    (await client.callTool({ name, arguments: given })) as unknown as Result;
  return {
    revision: client.getNegotiatedProtocolVersion(),
    instructions: client.getInstructions(),
    list: async () => (await client.listTools()).tools,
    call,
    ask: async (tool, given) => (await call(tool, given)).structuredContent,
    close: () => client.close(),
  };
}

/** Starts a service for agents, with the demo's workflows. */
export async function startForAgents(environment: Record<string, string> = {}): Promise<TestService> {
  const service = await startService({ WTS_MCP: 'on', ...environment });
  await service.apply(demo);
  return service;
}

/** Makes a key that is narrowed by the options of `wts key create`. */
export async function keyFor(
  { dataSource }: TestService,
  wanted: WantedNarrowing,
  workspace = 'demo',
): Promise<string> {
  const db = dataSource.manager;
  const { id: workspaceId } = await db.findOneByOrFail(WorkspaceEntity, { slug: workspace });
  const scope = 'write' as const;
  const errors = new FieldErrors();
  const narrowed = await readNarrowing(db, { workspaceId, scope }, wanted, errors);
  errors.throwIfAny();
  return createApiKey(db, { workspaceId, name: 'bot', scope, expiresAt: null, ...narrowed });
}

/** POSTs one message of the protocol without the SDK. */
export function postMessage(
  { app }: TestService,
  key: string | undefined,
  body: string | object,
): request.Test {
  const asked = request(app.getHttpServer())
    .post('/mcp')
    .set('Accept', 'application/json, text/event-stream')
    .set('Content-Type', 'application/json')
    .set('MCP-Protocol-Version', '2025-11-25');
  return (key === undefined ? asked : asked.set('Authorization', `Bearer ${key}`)).send(body);
}

export const listMessage = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
export const callMessage = (name: string, given: object): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
});

/** The answer to a message that was POSTed without the SDK. */
export function answerIn({ text }: request.Response): {
  result: Result & { tools: unknown[] };
  error?: unknown;
} {
  const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? 'null');
  return JSON.parse(json) as ReturnType<typeof answerIn>;
}
