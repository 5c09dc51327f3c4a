import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { notFound } from '../common/errors.js';
import { type Reply } from '../common/reply.js';
import { Public } from '../common/ops/health.controller.js';
import { sendCompressed } from './page.js';
import { projectFolder } from '../common/version.js';

/** The folder of the sources: `dist/src` in a build, otherwise `src`. */
const root = import.meta.dirname.startsWith(join(projectFolder(), 'dist')) ? 'dist/src' : 'src';
const folder = join(projectFolder(), root, 'console/assets');

/** Style sheets that are joined from several files, in the order of the cascade. */
const sheets = {
  'console.css': ['tokens', 'base', 'parts', 'pages', 'task', 'board', 'figures', 'admin', 'inbox'],
  'public.css': ['tokens', 'base', 'parts', 'public'],
};

/** Maps the name of an asset to its file in a package. A build adds these files to the assets' folder. */
const libraries = {
  'turbo.js': 'turbo/dist/turbo.es2017-esm.js',
  'stimulus.js': 'stimulus/dist/stimulus.js',
};

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const assets = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
for (const [name, path] of Object.entries(libraries))
  if (!assets.has(name))
    assets.set(name, readFileSync(join(projectFolder(), 'node_modules/@hotwired', path)));
for (const [name, parts] of Object.entries(sheets))
  assets.set(name, Buffer.concat(parts.map((part) => readFileSync(join(folder, `${part}.css`)))));

/** The hash of all assets. The path of each asset contains it, so browsers can cache the assets forever. */
export const assetVersion = [...assets.values()]
  .reduce((hash, bytes) => hash.update(bytes), createHash('sha256'))
  .digest('base64url')
  .slice(0, 12);

export function assetPath(name: string): string {
  return `/console/assets/${assetVersion}/${name}`;
}

/** Serves the assets. Assets import each other by relative URL, so all of them have the same version. */
@Public()
@ApiExcludeController()
@Controller('console/assets/:version')
export class AssetsController {
  @Get(':name')
  read(@Param('version') ofVersion: string, @Param('name') name: string): Reply {
    const bytes = ofVersion === assetVersion ? assets.get(name) : undefined;
    const type = types[extname(name)];
    if (!bytes || type === undefined) throw notFound();
    return (response) => {
      sendCompressed(response, bytes, 200, { 'Content-Type': type, ...kept });
    };
  }
}

const kept = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
