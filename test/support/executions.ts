import { type Response } from 'supertest';
import { type Client } from './service.js';
import { until } from './until.js';

/**
 * The end of an execution of the workflow at this path, from the answer to its POST: a slow machine may need longer
 * than that waited. An answer of another kind is given as it is.
 */
export async function endOf(api: Client, path: string, begun: Response): Promise<Response> {
  let answer = begun;
  const of = (): { readonly id?: string; readonly status?: unknown } => answer.body as { id?: string };
  await until('the end of an execution', async () => {
    if (of().status !== 'Pending') return true;
    answer = await api
      .get(`${path}/${of().id ?? ''}`)
      .set('Prefer', 'wait=20')
      .expect(200);
    return of().status !== 'Pending';
  });
  return answer;
}
