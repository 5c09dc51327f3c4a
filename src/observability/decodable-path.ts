import { type NextFunction, type Request, type Response } from 'express';

/**
 * A path that is not percent-encoded UTF-8, or holds a NUL, names nothing: it is led to where nothing is found, behind the guards,
 * instead of failing in the router before them.
 */
export function decodablePath(request: Request, _: Response, next: NextFunction): void {
  if (request.url.includes('%') && !isDecodable(request.path)) request.url = '/undecodable';
  next();
}

function isDecodable(path: string): boolean {
  try {
    // No text of the database holds a NUL.
    return !decodeURIComponent(path).includes('\0');
  } catch {
    return false;
  }
}
