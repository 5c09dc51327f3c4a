/** The address for mail without its password. */
export function shownPost(smtpUrl: string): string {
  return smtpUrl.startsWith('file:') ? smtpUrl : `${new URL(smtpUrl).protocol}//${new URL(smtpUrl).host}`;
}
