/** Writes a request as it is sent; every target gets the same bytes. */
export type Ask = (method: string, path: string, body?: object) => string;

/** Writes requests with one key. */
export function asker(key: string): Ask {
  return (method, path, body) => {
    const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${key}`];
    if (body === undefined) return [...lines, '', ''].join('\r\n');
    const text = JSON.stringify(body);
    const length = `Content-Length: ${Buffer.byteLength(text)}`;
    return [...lines, 'Content-Type: application/json', length, '', text].join('\r\n');
  };
}
