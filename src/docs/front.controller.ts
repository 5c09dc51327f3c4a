import { ref } from '../openapi/vocabulary.js';
import { createHash } from 'node:crypto';
import { Controller, Get } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { sends } from '../openapi/answers.js';
import { Reply } from '../lib/reply.js';
import { serviceVersion } from '../lib/version.js';
import { Public } from '../ops/health.controller.js';

/** What the service is, with links. Addresses are relative, so that they work behind any prefix. */
export class Front {
  @ApiProperty({ description: 'The name of the service.' })
  readonly name!: string;

  @ApiProperty({ description: 'The version of the service.' })
  readonly version!: string;

  @ApiProperty({ description: 'The page that describes the interface; addresses are relative to this one.' })
  readonly docs!: string;

  @ApiProperty({ description: 'The OpenAPI document.' })
  readonly openapi!: string;

  @ApiProperty({ description: 'Says whether the service is ready.' })
  readonly health!: string;
}

/** The root: a page for browsers, the same as JSON for other clients. */
@Public()
@Controller()
@ApiTags('Service')
@ApiExtraModels(Front)
export class FrontController {
  @Get()
  @ApiOperation({
    summary: 'Read what this service is',
    description: 'A browser (`Accept: text/html`) gets a page.',
    security: [],
  })
  @ApiOkResponse({
    description: 'Its name, version and links.',
    content: {
      'application/json': { schema: ref('Front') },
      'text/html': { schema: { type: 'string' } },
    },
    headers: sends('Content-Security-Policy', 'X-Content-Type-Options', 'Vary'),
  })
  readFront(): Reply {
    return frontReply(serviceVersion);
  }
}

/** Answers with what the service is. */
export function frontReply(version: string): Reply {
  return new Reply((response) => {
    response.vary('Accept');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Content-Security-Policy', policy);
    const isPage = response.req.accepts(['json', 'html']) === 'html';
    response.setHeader('Content-Type', `${isPage ? 'text/html' : 'application/json'}; charset=utf-8`);
    const front: Front = { name, version, ...links };
    response.end(isPage ? page(version) : JSON.stringify(front));
  });
}

const name = 'Workflow Task Service';
const links = { docs: 'docs', openapi: 'docs/openapi.json', health: 'health/ready' };

const style =
  'body{max-width:40rem;margin:4rem auto;padding:0 1rem;font:1rem/1.5 sans-serif;color-scheme:light dark}';
const hash = createHash('sha256').update(style).digest('base64');
const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const page = (version: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${name}</title>
    <link rel="icon" href="data:,">
    <style>${style}</style>
  </head>
  <body>
    <h1>${name}</h1>
    <p>Tasks in workflows: their fields, links, files and checklists, and the actions that move them. Version ${version}.</p>
    <ul>
      <li><a href="${links.docs}">The interface</a>, to read and to try (<a href="${links.openapi}">OpenAPI</a>)</li>
      <li><a href="${links.health}">Whether the service is ready</a></li>
    </ul>
    <p>Everything else is at <code>/api/v1</code> and needs an API key: <code>Authorization: Bearer …</code></p>
  </body>
</html>
`;
