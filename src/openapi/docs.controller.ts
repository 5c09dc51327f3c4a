import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { sendDocument } from '../http/reply.js';
import { Public } from '../ops/health.controller.js';
import { Documents } from './documents.js';
import { notFound } from '../lib/errors.js';

/** The description of the interface, for everybody. */
@Public()
@Controller('docs')
export class DocsController {
  constructor(private readonly documents: Documents) {}

  @Get()
  page(@Res() response: Response): void {
    sendPage(response);
  }

  @Get('openapi.json')
  async document(@Req() request: Request, @Res() response: Response): Promise<void> {
    await sendDocument(request, response, await this.documents.general());
  }

  @Get(':asset')
  asset(@Param('asset') name: string, @Res() response: Response): void {
    sendAsset(response, name);
  }
}

/** Answers with the page that shows the description; a browser needs nothing from elsewhere for it. */
function sendPage(response: Response): void {
  // The page styles itself as it goes.
  response.setHeader(
    'Content-Security-Policy',
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
  );
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.end(page);
}

/** Answers with a file that the page needs; 404 for any other. */
function sendAsset(response: Response, name: string): void {
  const asset = assets.get(name);
  if (!asset) throw notFound();
  const content = asset.read();
  response.setHeader('Cache-Control', 'public, max-age=3600');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Content-Type', `${asset.type}; charset=utf-8`);
  response.end(content);
}

interface Asset {
  readonly type: string;
  readonly read: () => Buffer | string;
}

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Workflow Task Service</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="docs"></div>
    <noscript>The description itself: <a href="docs/openapi.json">openapi.json</a></noscript>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

// Relative to the page, so that it works behind any prefix.
const start =
  "SwaggerUIBundle({ url: 'docs/openapi.json', dom_id: '#docs', deepLinking: true, docExpansion: 'none', validatorUrl: null });\n";

const assets: ReadonlyMap<string, Asset> = new Map<string, Asset>([
  ['swagger-ui.css', { type: 'text/css', read: distributed('swagger-ui.css') }],
  ['swagger-ui-bundle.js', { type: 'text/javascript', read: distributed('swagger-ui-bundle.js') }],
  ['start.js', { type: 'text/javascript', read: () => start }],
]);

/** Read when somebody first asks for it, and once: however many ask, they share one copy. */
function distributed(name: string): () => Buffer {
  let content: Buffer | undefined;
  return () => (content ??= readDistributed(name));
}

function readDistributed(name: string): Buffer {
  const manifest = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json');
  return readFileSync(join(dirname(manifest), name));
}
