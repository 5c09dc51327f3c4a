import { OutboundFailure } from '../failure.js';
import { parseUrl } from '../address-policy.js';

describe('F5 schemes and oddities', () => {
  it.each([
    'http://a.test',
    'https://a.test/b?c',
    'http://a.test:80',
    'https://a.test:8443',
    'http://a:65535',
  ])('allows %s', (text) => {
    expect(parseUrl(text).href).toBe(new URL(text).href);
  });

  it.each([
    ['', 'its URL is not valid'],
    ['a.test/b', 'its URL is not valid'],
    ['http://', 'its URL is not valid'],
    ['http://a.test:65536', 'its URL is not valid'],
    ['http://[fe80::1%25eth0]/', 'its URL is not valid'],
    ['file:///etc/passwd', 'its URL is not http or https'],
    ['data:text/plain,a', 'its URL is not http or https'],
    ['blob:http://a.test/b', 'its URL is not http or https'],
    ['javascript:alert(1)', 'its URL is not http or https'],
    ['http+unix://a', 'its URL is not http or https'],
    ['http://u:p@a.test', 'its URL holds a user name or a password'],
    ['http://u@a.test', 'its URL holds a user name or a password'],
    ['http://:p@a.test', 'its URL holds a user name or a password'],
    ['http://a.test:0', 'the port in its URL is not allowed'],
    ['http://a.test:22', 'the port in its URL is not allowed'],
    ['https://a.test:1023', 'the port in its URL is not allowed'],
  ])('refuses %s', (text, message) => {
    expect(() => parseUrl(text)).toThrow(new OutboundFailure('url not allowed', message));
  });
});
