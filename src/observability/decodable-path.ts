import { type NextFunction, type Request, type Response } from 'express';

/**
 * A path that is not percent-encoded UTF-8, or holds a NUL, names nothing: it is led to where nothing is found, behind the guards,
 * instead of failing in the router before them.
 */
export function decodablePath(request: Request, _: Response, next: NextFunction): void {
  // No text of the database holds a NUL.
  if (request.url.includes('%') && (!isDecodable(request.path) || request.path.includes('%00')))
    request.url = '/undecodable';
  next();
}

/** Whether a text is percent-encoded UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
