import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { type Request } from 'express';
import { describing } from '../openapi/answers.js';

const MAX_WAIT_SECONDS = 25;

/** The seconds for which the client is willing to wait (`Prefer: wait=N`, RFC 7240), at most 25. */
export const PreferredWait = createParamDecorator(
  (_: unknown, context: ExecutionContext): number =>
    preferredSeconds(context.switchToHttp().getRequest<Request>()),
  [
    describing(
      ApiHeader({
        name: 'Prefer',
        description:
          '`wait=N`: wait up to N seconds (25 at most) for the end of the execution or for the next event.',
      }),
    ),
  ],
);

function preferredSeconds({ headers: { prefer } }: Request): number {
  const [, seconds] =
    /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:$|[,;])/i.exec([prefer ?? ''].flat().join()) ?? [];
  return Math.min(Number(seconds ?? 0), MAX_WAIT_SECONDS);
}
