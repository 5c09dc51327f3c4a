export const problemType = 'application/problem+json; charset=utf-8';

/** A problem document of RFC 9457. */
export function problemDocument(status: number, title: string, detail: string, requestId: unknown): string {
  return JSON.stringify({ type: 'about:blank', title, status, detail, request_id: requestId });
}
