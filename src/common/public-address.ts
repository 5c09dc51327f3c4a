import { type IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

interface Addresses {
  readonly taskUrl?: string | undefined;
  readonly publicUrl?: string | undefined;
  readonly port: number;
  readonly host: string;
}

/** The address of the service as others see it; throws if no setting gives it. */
export function publicAddress({ publicUrl, port, host }: Omit<Addresses, 'taskUrl'>): string {
  if (publicUrl !== undefined) return publicUrl;
  if (port === 0) throw new Error('With PORT=0 the address of the service is unknown: set PUBLIC_URL.');
  const isNear = ['::', '0.0.0.0', '127.0.0.1', '::1'].includes(host);
  return `http://${isNear ? 'localhost' : inUrl(host)}:${port}`;
}

/**
 * The origin in a request's `Host`, if it is an address of this machine. Links must not repeat any other `Host`:
 * through a cached answer, whoever forged it would lead other clients, with their keys, to a server of their own.
 */
export function ownOrigin({ headers, socket }: IncomingMessage): string | undefined {
  const [host, name = '', port] = /^([\w.-]+|\[[\da-f:.]+\]):(\d+)$/i.exec(headers.host ?? '') ?? [];
  const address = inUrl(socket.localAddress?.replace(/^::ffff:/, '') ?? '');
  const isOwn =
    ['localhost', machine, address].includes(name.toLowerCase()) && Number(port) === socket.localPort;
  return isOwn ? `http://${host}` : undefined;
}

const machine = hostname().toLowerCase();

/** The template of `Task URL`; throws if no setting gives its beginning. */
export function taskUrlOf(addresses: Addresses): string {
  return addresses.taskUrl ?? `${publicAddress(addresses)}/workflows/{workflow}/tasks/{task}`;
}

/** The `Task URL` of a task, by its template. */
export function urlOfTask(template: string, workflow: string, publicId: string): string {
  return template
    .replaceAll('{workflow}', () => encodeURIComponent(workflow))
    .replaceAll('{task}', () => publicId);
}

/** A host as URLs have it. */
export function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}
