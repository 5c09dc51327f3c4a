/** Where mail is handed in, without the password. */
export function shownPost(smtpUrl: string): string {
  return smtpUrl.startsWith('file:') ? smtpUrl : `${new URL(smtpUrl).protocol}//${new URL(smtpUrl).host}`;
}
