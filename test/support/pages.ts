import { type Client } from './service.js';

/** The path of the next page, which the header `Link` names; '' behind the last page. */
export function nextOf({ headers }: { readonly headers: unknown }): string {
  const { link = '' } = headers as { readonly link?: string };
  return /^<https?:\/\/[^/]+([^>]*)>; rel="next"$/.exec(link)?.[1] ?? '';
}

/** The cursor in the path of a next page. */
export const cursorIn = (next: string): string => new URLSearchParams(next.split('?')[1]).get('_after') ?? '';

/** All pages of a list, each found by the Link of the one before. */
export async function walk<T>(api: Client, path: string): Promise<T[][]> {
  const pages: T[][] = [];
  for (let next = path; next !== '';) {
    const answer = await api.get(next).expect(200);
    pages.push(answer.body as T[]);
    next = nextOf(answer);
  }
  return pages;
}
