/**
 * The address in a text such as `mina@acme.test` or `Acme <wts@acme.test>`; undefined if there is none or more than
 * one.
 */
export function addressIn(text: string): string | undefined {
  const [, named, bare] = /^(?:[^\p{Cc}<>@,;:"\\]*<([^<>]*)>|([^<>]*))$/u.exec(text.trim()) ?? [];
  const address = named ?? bare ?? '';
  return /^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@<>()[\]\\,;:"]{1,189}$/u.test(address) ? address : undefined;
}
