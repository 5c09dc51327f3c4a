import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { OidcClient } from '../../../src/access/oidc.js';

const settings = { clientId: 'wts', clientSecret: 'secret' };

describe('requests to an identity provider', () => {
  const servers: Server[] = [];
  async function listen(answer: RequestListener): Promise<string> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  afterAll(() => {
    for (const server of servers) server.close().closeAllConnections();
  });

  /** A provider whose metadata name another server for its tokens, and who has asked that one. */
  async function withTokensElsewhere(
    allow: readonly string[],
  ): Promise<{ asked: string[]; failure: unknown }> {
    const asked: string[] = [];
    const inside = await listen(({ url = '' }, response) => {
      asked.push(url);
      response.writeHead(500).end();
    });
    const issuer = await listen((_, response) => {
      response.setHeader('Content-Type', 'application/json');
      const endpoints = { authorization_endpoint: `${issuer}/auth`, token_endpoint: `${inside}/token`, jwks_uri: `${inside}/keys` }; // prettier-ignore
      response.end(JSON.stringify({ issuer, ...endpoints }));
    });
    const client = new OidcClient({ ...settings, issuer }, 'http://localhost:3000/callback', allow);
    const { transaction } = await client.begin();
    const failure: unknown = await client.finish(`?code=x&state=${transaction.state}`, transaction).catch((error: unknown) => error); // prettier-ignore
    await client.close();
    return { asked, failure };
  }

  it('may reach the configured host at any address, and other hosts at allowed addresses', async () => {
    const { asked, failure } = await withTokensElsewhere([]);
    expect([asked, failure]).toEqual([[], expect.objectContaining({ refusal: 'away' })]);
    expect(String(failure)).toContain('its address is not allowed (WTS_OUTBOUND_ALLOW)');
    expect((await withTokensElsewhere(['127.0.0.1/32'])).asked).toEqual(['/token']);
  });

  it('read no answer that is longer than metadata', async () => {
    const issuer = await listen((_, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ issuer: 'x'.repeat(300_000) }));
    });
    const client = new OidcClient({ ...settings, issuer }, 'http://localhost:3000/callback', []);
    await expect(client.begin()).rejects.toMatchObject({ refusal: 'away', message: expect.stringContaining('larger than 262144 bytes') }); // prettier-ignore
    await client.close();
  });

  it('follow no redirect', async () => {
    const asked: string[] = [];
    const inside = await listen(({ url = '' }, response) => {
      asked.push(url);
      response.end('{}');
    });
    const issuer = await listen((_, response) => {
      response.writeHead(302, { Location: `${inside}/.well-known/openid-configuration` }).end();
    });
    const client = new OidcClient({ ...settings, issuer }, 'http://localhost:3000/callback', [
      '127.0.0.1/32',
    ]);
    await expect(client.begin()).rejects.toMatchObject({ refusal: 'away' });
    expect(asked).toEqual([]);
    await client.close();
  });
});
