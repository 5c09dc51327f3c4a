import { type OpenAPIObject } from '@nestjs/swagger';

type Header = NonNullable<NonNullable<OpenAPIObject['components']>['headers']>[string];

const always = (description: string): Header => ({ description, required: true, schema: { type: 'string' } });
const sometimes = (description: string): Header => ({ description, schema: { type: 'string' } });

/** Every header of an answer that means something, by its name. */
export const headers = {
  'X-Request-Id': always('The request in the log: the id that the client sent, or a random one.'),
  ETag: always('The version of what is shown; for a task `"<version>-<hash>"`.'),
  Link: sometimes('`<…>; rel="next"`: the next page, where there is one.'),
  'X-Total-Count': sometimes('How many tasks meet the filters, where `_count=true`.'),
  Location: always('The path of the execution.'),
  'Preference-Applied': sometimes('`wait=N`, where `Prefer` asked for it.'),
  'WWW-Authenticate': always('`Bearer`.'),
  'Retry-After': always('Seconds after which the same request may succeed.'),
  Connection: sometimes('`close`, where the rest of the body was not read.'),
  'Content-Disposition': always('`attachment` with the name of the file (RFC 6266, 8187).'),
  'Content-Length': sometimes('Bytes.'),
  'Content-Range': always('Which bytes of how many.'),
  'Accept-Ranges': always('`bytes`.'),
  'X-Content-Type-Options': always('`nosniff`.'),
  'Content-Security-Policy': always('What is shown gets no rights.'),
  'Cross-Origin-Resource-Policy': always('`same-origin`.'),
  'Referrer-Policy': always('`no-referrer`.'),
  'Cache-Control': always('How long the answer may be kept.'),
  'RateLimit-Limit': sometimes('Requests of a key in a minute.'),
  'RateLimit-Remaining': sometimes('How many of them are left.'),
  'RateLimit-Reset': sometimes('Seconds until there are more.'),
} satisfies Record<string, Header>;

export type HeaderName = keyof typeof headers;
