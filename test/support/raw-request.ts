import { request } from 'node:http';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export interface RawRequest {
  readonly method: string;
  /** Sent exactly as given. */
  readonly path: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
}

/** Sends a request exactly as given, and reads the whole answer. */
export async function sendRaw(
  url: string,
  { method, path, headers = [], body }: RawRequest,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const length = body === undefined ? [] : [['Content-Length', String(Buffer.byteLength(body))]];
  const all = [['Host', 'x'], ...headers, ...length].flat();
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers: all }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      });
    });
    sent.on('error', reject).end(body);
  });
}
