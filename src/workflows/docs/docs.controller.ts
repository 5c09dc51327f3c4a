import { CurrentScope, CurrentWorkspace } from '../model/current.decorators.js';
import { Controller, Get, Param, Redirect } from '@nestjs/common';
import { ApiExcludeController, ApiExcludeEndpoint, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiTagged } from '../../common/openapi/answers.js';
import { ref } from '../../common/openapi/vocabulary.js';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { contentReply, documentReply } from '../../common/http/replies.js';
import { type Reply } from '../../common/reply.js';
import { Public } from '../../common/ops/health.controller.js';
import { Documents } from './documents.js';
import { notFound } from '../../common/errors.js';
import { type Workspace } from '../model/workspace.js';
import { type Scope } from '../model/scope.js';

@Public()
@Controller('docs')
@ApiTags('Service')
export class DocsController {
  constructor(private readonly documents: Documents) {}

  @Get()
  @ApiExcludeEndpoint()
  readDocs(): Reply {
    return contentReply(docsPage, pageHeaders);
  }

  @Get('openapi.json')
  @ApiOperation({ summary: 'Read this OpenAPI document', security: [] })
  @ApiTagged({ schema: ref('OpenApi') })
  async readOpenApi(): Promise<Reply> {
    return documentReply(await this.documents.general());
  }

  @Get(':asset')
  @ApiExcludeEndpoint()
  readDocsAsset(@Param('asset') name: string): Reply {
    return assetReply(name);
  }
}

/** Headers that prevent the page from loading anything from other sites. */
const pageHeaders = {
  // The script of Swagger UI sets inline styles.
  'Content-Security-Policy': "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
  'X-Content-Type-Options': 'nosniff',
  'Content-Type': 'text/html; charset=utf-8',
};

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

/** Makes a function that reads a file on first use. All requests share one copy. */
function distributed(name: string): () => Buffer {
  let content: Buffer | undefined;
  return () => (content ??= readDistributed(name));
}

function readDistributed(name: string): Buffer {
  const manifest = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json');
  return readFileSync(join(dirname(manifest), name));
}

/** The page of Swagger UI. Its links are relative, so that the page works behind any path prefix. */
const docsPage = `<!doctype html>
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

const startScript = `SwaggerUIBundle({ url: 'docs/openapi.json', dom_id: '#docs', deepLinking: true, docExpansion: 'none', validatorUrl: null });
`;

/** Serves the OpenAPI document of one workflow, for client generators. */
@Controller('api/v1/workflows/:workflow_id/openapi.json')
@ApiTags('Definition')
export class WorkflowDocumentController {
  constructor(private readonly documents: Documents) {}

  @Get()
  @ApiOperation({ summary: 'Read the OpenAPI document of this workflow' })
  @ApiTagged({ schema: ref('OpenApi') })
  async readWorkflowOpenApi(
    @CurrentWorkspace() workspace: Workspace,
    @CurrentScope() scope: Scope,
  ): Promise<Reply> {
    return documentReply(await this.documents.ofWorkflow(workspace, scope));
  }
}

/** Redirects from the root to the docs if the service has no console. The redirect's address is relative. */
@Public()
@Controller()
@ApiExcludeController()
export class FrontController {
  @Get()
  @Redirect('docs', 303)
  readFront(): void {
    // The decorator sends the redirect.
  }
}
