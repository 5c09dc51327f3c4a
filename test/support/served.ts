import { type Response } from 'supertest';
import { until } from './until.js';

/** The answer to a request that is sent again while it is 503: many wait for one lock, and on a slow machine for 5 s. */
export async function served(ask: () => PromiseLike<Response>): Promise<Response> {
  let answer = await ask();
  await until('an answer other than 503', async () => {
    if (answer.status === 503) answer = await ask();
    return answer.status !== 503;
  });
  return answer;
}
