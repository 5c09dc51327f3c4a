import { Controller, Get, Param } from '@nestjs/common';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { contentReply, documentReply } from '../http/replies.js';
import { type Reply } from '../lib/reply.js';
import { Public } from '../ops/health.controller.js';
import { docsPage, startScript } from './docs-page.js';
import { Documents } from './documents.js';
import { notFound } from '../lib/errors.js';

/** The description of the interface, for everybody. */
@Public()
@Controller('docs')
export class DocsController {
  constructor(private readonly documents: Documents) {}

  @Get()
  page(): Reply {
    return contentReply(docsPage, pageHeaders);
  }

  @Get('openapi.json')
  async document(): Promise<Reply> {
    return documentReply(await this.documents.general());
  }

  @Get(':asset')
  asset(@Param('asset') name: string): Reply {
    return assetReply(name);
  }
}

/** A browser needs nothing from elsewhere for the page that shows the description. */
const pageHeaders = {
  // The page styles itself as it goes.
  'Content-Security-Policy': "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
  'X-Content-Type-Options': 'nosniff',
  'Content-Type': 'text/html; charset=utf-8',
};

/** Answers with a file that the page needs; 404 for any other. */
function assetReply(name: string): Reply {
  const asset = assets.get(name);
  if (!asset) throw notFound();
  return contentReply(asset.read(), {
    'Cache-Control': 'public, max-age=3600',
    'X-Content-Type-Options': 'nosniff',
    'Content-Type': `${asset.type}; charset=utf-8`,
  });
}

interface Asset {
  readonly type: string;
  readonly read: () => Buffer | string;
}

const assets: ReadonlyMap<string, Asset> = new Map<string, Asset>([
  ['swagger-ui.css', { type: 'text/css', read: distributed('swagger-ui.css') }],
  ['swagger-ui-bundle.js', { type: 'text/javascript', read: distributed('swagger-ui-bundle.js') }],
  ['start.js', { type: 'text/javascript', read: () => startScript }],
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
