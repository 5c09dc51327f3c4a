import { type IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

interface Addresses {
  readonly taskUrl?: string | undefined;
  readonly publicUrl?: string | undefined;
  readonly port: number;
  readonly host: string;
}

/** The URL under which clients reach the service. Throws if PORT is 0 and PUBLIC_URL is not set. */
export function publicAddress({ publicUrl, port, host }: Omit<Addresses, 'taskUrl'>): string {
  if (publicUrl !== undefined) return publicUrl;
  if (port === 0) throw new Error('With PORT=0 the address of the service is unknown: set PUBLIC_URL.');
  const isNear = ['::', '0.0.0.0', '127.0.0.1', '::1'].includes(host);
  return `http://${isNear ? 'localhost' : inUrl(host)}:${port}`;
}

/**
 * The origin in a request's `Host`, if `Host` names this machine. Links must not repeat any other `Host`. A
 * cached response with a forged `Host` would lead other clients, with their keys, to the attacker's server.
 */
export function ownOrigin({ headers, socket }: IncomingMessage): string | undefined {
  const [host, name = '', port] = /^([\w.-]+|\[[\da-f:.]+\]):(\d+)$/i.exec(headers.host ?? '') ?? [];
  const address = inUrl(socket.localAddress?.replace(/^::ffff:/, '') ?? '');
  const isOwn =
    ['localhost', machine, address].includes(name.toLowerCase()) && Number(port) === socket.localPort;
  return isOwn ? `http://${host}` : undefined;
}

const machine = hostname().toLowerCase();

/** The template of `Task URL`. Throws if neither WTS_TASK_URL nor the address of the service is known. */
export function taskUrlOf(addresses: Addresses): string {
  return addresses.taskUrl ?? `${publicAddress(addresses)}/workflows/{workflow}/tasks/{task}`;
}

/** Fills in the template of `Task URL` for a task. */
export function urlOfTask(template: string, workflow: string, publicId: string): string {
  return template
    .replaceAll('{workflow}', () => encodeURIComponent(workflow))
    .replaceAll('{task}', () => publicId);
}

/** A host as written in a URL: brackets enclose an IPv6 address. */
export function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}
