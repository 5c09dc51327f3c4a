import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { notFound } from '../common/errors.js';
import { Reply } from '../common/reply.js';
import { Public } from '../common/ops/health.controller.js';
import { sendCompressed } from './page.js';
import { projectFolder } from '../common/version.js';

interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The folder next to the sources; in a build, next to the compiled files. */
const root = import.meta.dirname.startsWith(join(projectFolder(), 'dist')) ? 'dist/src' : 'src';
const folder = join(projectFolder(), root, 'console/assets');

/** Style sheets of several files, in the order of the cascade. Browsers get each as one file. */
const sheets = {
  'console.css': ['tokens', 'base', 'parts', 'pages', 'task', 'board', 'figures', 'admin', 'inbox'],
  'public.css': ['tokens', 'base', 'parts', 'public'],
};

/** Files of packages. A build puts smaller versions into the folder. */
const libraries = {
  'turbo.js': 'turbo/dist/turbo.es2017-esm.js',
  'stimulus.js': 'stimulus/dist/stimulus.js',
};

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const sources = new Map<string, readonly string[]>([
  ...Object.entries(libraries).map(
    ([name, path]) => [name, [join(projectFolder(), 'node_modules/@hotwired', path)]] as const,
  ),
  ...readdirSync(folder).map((name) => [name, [join(folder, name)]] as const),
  ...Object.entries(sheets).map(
    ([name, parts]) => [name, parts.map((part) => join(folder, `${part}.css`))] as const,
  ),
]);

const assets = new Map<string, Asset>();
for (const [name, files] of sources)
  assets.set(name, {
    type: types[extname(name)] ?? 'application/octet-stream',
    bytes: Buffer.concat(files.map((file) => readFileSync(file))),
  });

/** The path of all assets contains their hash: they are cached forever, and name each other by file name. */
const version = [...assets.values()]
  .reduce((hash, { bytes }) => hash.update(bytes), createHash('sha256'))
  .digest('base64url')
  .slice(0, 12);

function assetOf(ofVersion: string, name: string): Asset | undefined {
  return ofVersion === version ? assets.get(name) : undefined;
}

export function assetPath(name: string): string {
  return `/console/assets/${version}/${name}`;
}

/** The files of pages. Their path contains their hash, so that browsers can cache them forever. */
@Public()
@ApiExcludeController()
@Controller('console/assets/:version')
export class AssetsController {
  @Get(':name')
  read(@Param('version') version: string, @Param('name') name: string): Reply {
    const asset = assetOf(version, name);
    if (!asset) throw notFound();
    return new Reply((response) => {
      sendCompressed(response, asset.bytes, 200, { 'Content-Type': asset.type, ...kept });
    });
  }
}

const kept = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
