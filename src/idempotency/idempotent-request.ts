import { type Json } from '../schema/json.js';
import { type Workflow } from '../workflows/workspace.js';
import { fingerprint } from './fingerprint.js';
import { type IdempotentRequest } from './once.js';

/** What a POST asks for: the name of its route, what the path names below the workflow, and the body. */
export interface Asked {
  readonly route: string;
  readonly path?: readonly string[];
  readonly body: Json;
}

/** A POST that came with an Idempotency-Key; undefined where it had none. */
export async function idempotentRequest(
  { workspaceId, slug }: Workflow,
  key: string | undefined,
  { route, path = [], body }: Asked,
): Promise<IdempotentRequest | undefined> {
  if (key === undefined) return undefined;
  return { workspaceId, key, fingerprint: await fingerprint([route, slug, ...path], body) };
}
