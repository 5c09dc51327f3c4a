import { OutboundFailure } from './failure.js';

/** A URL that a request may go to, as far as the URL itself can tell; throws an `OutboundFailure`. */
export function parseUrl(text: string | URL, base?: URL): URL {
  if (!URL.canParse(String(text), base?.href)) refuse('its URL is not valid');
  const url = new URL(text, base);
  if (!['http:', 'https:'].includes(url.protocol)) refuse('its URL is not http or https');
  if (url.username !== '' || url.password !== '') refuse('its URL holds a user name or a password');
  if (!isPortAllowed(url.port)) refuse('the port in its URL is not allowed');
  return url;
}

/** Empty is the port of the scheme; what listens below 1024 beside the web is not meant for us. */
function isPortAllowed(port: string): boolean {
  return port === '' || port === '80' || port === '443' || Number(port) >= 1024;
}

function refuse(message: string): never {
  throw new OutboundFailure('url not allowed', message);
}
