import { type CanActivate, type ExecutionContext, Injectable, UseGuards } from '@nestjs/common';
import { type Response } from 'express';
import { type AccessRequest } from '../auth/api-key.guard.js';
import { Replica } from '../database/replica.js';

/** Larger values are reduced to this, since a fresher answer satisfies them as well. */
const MAX_SECONDS = 3600;

/** Limits backtracking: a crafted header would make the pattern read all its quotes again for each comma. */
const MAX_LENGTH = 1000;

/** One preference (RFC 7240) with its value, and behind it its parameters. */
const preference =
  /(?:^|,)\s*([\w!#$%&'*+.^`|~-]+)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^\s,;"]*))?[^,"]*(?:"(?:[^"\\]|\\.)*"[^,"]*)*/g;

/**
 * How old an answer may be, in seconds (`Prefer: stale-ok=N`), 3600 at most. As RFC 7240 says, only the first of
 * several counts, and a value that is no number is ignored: undefined then.
 */
export function preferredStaleness(prefer: string | readonly string[] | undefined): number | undefined {
  const all = [...[prefer ?? ''].flat().join().slice(0, MAX_LENGTH).matchAll(preference)];
  const [, , value = ''] = all.find(([, name = '']) => name.toLowerCase() === 'stale-ok') ?? [];
  const [, digits] = /^("?)(\d{1,9})\1$/.exec(value)?.slice(1) ?? [];
  return digits === undefined ? undefined : Math.min(Number(digits), MAX_SECONDS);
}

/** Reads from the replica where the client prefers it. */
@Injectable()
class StaleGuard implements CanActivate {
  constructor(private readonly replica: Replica) {}

  canActivate(context: ExecutionContext): boolean {
    if (!this.replica.isConfigured) return true;
    const request = context.switchToHttp().getRequest<AccessRequest>();
    const response = context.switchToHttp().getResponse<Response>().vary('Prefer');
    const seconds = preferredStaleness(request.headers.prefer);
    // `As-Of` describes the primary, so the answer has to come from it.
    if (seconds === undefined || response.hasHeader('As-Of')) return true;
    request.staleReads = this.replica.readsWithin(seconds);
    if (request.scope) request.scope = request.scope.reading(request.staleReads);
    return true;
  }
}

/** A read that `Prefer: stale-ok=N` lets the replica answer. */
export const MayBeStale = (): MethodDecorator => UseGuards(StaleGuard);

/** Marks an answer of the replica as possibly stale. */
export function tellStaleness(response: Response): void {
  const { staleReads: stale }: AccessRequest = response.req;
  if (!stale?.hasRead) return;
  const others = response.getHeader('Preference-Applied');
  const applied = `stale-ok=${stale.seconds}`;
  response.setHeader('Preference-Applied', others === undefined ? applied : `${String(others)}, ${applied}`);
}
