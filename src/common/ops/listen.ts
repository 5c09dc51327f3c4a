import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { inUrl } from '../public-address.js';

/** Where to listen, and the variable or option that sets the port. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly variable: 'PORT' | 'WTS_METRICS_PORT' | '--port';
}

/** Listens on an address. If that fails, throws an error whose message names the setting to change. */
export async function listen(server: Server, place: ListenAddress): Promise<AddressInfo> {
  const { host, port } = place;
  // Without a host, Node.js listens on all addresses, of IPv4 and IPv6 if the machine has both.
  server.listen({ port, ...(host !== '::' && { host }) });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Error(obstacle(place, String(Reflect.get(Object(error), 'code'))), { cause: error });
  }
  return addressOf(server);
}

export async function freePort(host: string): Promise<number> {
  const server = createServer();
  const { port } = await listen(server, { host, port: 0, variable: 'PORT' });
  await new Promise((closed) => server.close(closed));
  return port;
}

/** A URL by which this machine reaches the address. */
export function urlOf({ address, port }: AddressInfo): string {
  return `http://${listensEverywhere(address) ? 'localhost' : inUrl(address)}:${port}`;
}

/** Whether the address stands for all addresses of the machine. */
export function listensEverywhere(address: string): boolean {
  return address === '::' || address === '0.0.0.0';
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('not a server of TCP');
  return address;
}

function obstacle({ host, port, variable }: ListenAddress, code: string): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} is taken: stop the program that uses it, or set another port with ${variable}.`;
  if (code === 'EACCES') return `This user cannot listen on port ${port}: set ${variable} to 1024 or more.`;
  return `The service cannot listen on ${host} (${code}): set an address of this machine with WTS_HOST.`;
}
