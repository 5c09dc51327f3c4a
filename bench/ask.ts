/** Writes a request as it goes over the wire; the same bytes for every target. */
export type Ask = (method: string, path: string, body?: object) => string;

/** A client of one key. */
export function asker(key: string): Ask {
  return (method, path, body) => {
    const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${key}`];
    if (body === undefined) return [...lines, '', ''].join('\r\n');
    const text = JSON.stringify(body);
    const length = `Content-Length: ${Buffer.byteLength(text)}`;
    return [...lines, 'Content-Type: application/json', length, '', text].join('\r\n');
  };
}
