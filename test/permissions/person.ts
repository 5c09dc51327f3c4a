import { type Response } from 'supertest';
import { keyFor } from '../support/agent.js';
import { type Client, type TestService } from '../support/service.js';

/** A client with a key that acts as this user, and so has their rights. */
export async function personOf(service: TestService, email: string, workspace = 'acme'): Promise<Client> {
  return service.client(await keyFor(service, { as: email }, workspace));
}

/** What became of a request: `done`, or the status and the words that it is refused with. */
export async function outcome(request: PromiseLike<Response>): Promise<string> {
  const { status, body } = await request;
  if (status < 300) return 'done';
  const { errors, detail } = body as { readonly errors?: object; readonly detail?: string };
  const words = Array.isArray(errors) ? errors.join('; ') : errors ? JSON.stringify(errors) : detail;
  return `${status} ${words ?? ''}`;
}
