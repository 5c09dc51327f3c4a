import parseAddresses from 'nodemailer/lib/addressparser';

/**
 * The address in a text such as `mina@acme.test` or `"Acme, Inc." <wts@acme.test>` (RFC 5322). Undefined if
 * the text contains several addresses, or no valid address.
 */
export function addressIn(given: string): string | undefined {
  const text = given.trim();
  const [found, ...others] = parseAddresses(text);
  const address = found?.address ?? '';
  // The parser guesses an address from a malformed text.
  const isWhole = text === address || text.endsWith(`<${address}>`);
  const isOne = others.length === 0 && isWhole && !/\p{Cc}/u.test(text);
  return isOne && /^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@<>()[\]\\,;:"]{1,189}$/u.test(address)
    ? address
    : undefined;
}
