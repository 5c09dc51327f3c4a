import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Script = (answer: ServerResponse, asked: Asked) => unknown;

export interface ScriptedServer {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Answers the next requests by these scripts in turn, and all later ones by the last script. */
  play(...scripts: Script[]): void;
  stop(): void;
}

export async function startScripted(): Promise<ScriptedServer> {
  const asked: Asked[] = [];
  let scripts: Script[] = [];
  const server = createServer((request, answer) => {
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, headers, body: Buffer.concat(chunks).toString() };
      asked.push(one);
      const script = scripts.length > 1 ? scripts.shift() : scripts[0];
      void script?.(answer, one);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    play(...next) {
      asked.length = 0;
      scripts = next;
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Script =>
  (answer) =>
    answer.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export const cut: Script = (answer) => answer.destroy();

export const cutInBody: Script = (answer) => {
  answer.writeHead(200, { 'content-type': 'application/json', 'content-length': '20' });
  answer.write('{"Vendor', () => answer.destroy());
};

export const silence: Script = () => undefined;
