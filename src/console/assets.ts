import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { projectFolder } from '../lib/project-folder.js';

/** A file that browsers get. */
export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  /** By Brotli, made when somebody first asks for it. */
  readonly compressed: () => Promise<Buffer>;
}

/** Beside the sources or, where these were built, beside what was made of them. */
const folder = import.meta.dirname.startsWith(join(projectFolder(), 'dist')) ? 'dist/src' : 'src';
const own = (name: string): string => join(projectFolder(), folder, 'console/assets', name);

const sheets = [
  'tokens.css',
  'base.css',
  'parts.css',
  'pages.css',
  'task.css',
  'board.css',
  'list.css',
  'work.css',
  'admin.css',
  'inbox.css',
];
const scripts = [
  'console.js',
  'controllers.js',
  'live.js',
  'announce.js',
  'asking.js',
  'work.js',
  'list.js',
  'inbox.js',
  'keys.js',
];

/** What they are made of: the sheets are one file, the libraries stand as their packages bring them. */
const sources: ReadonlyMap<string, readonly string[]> = new Map([
  ['console.css', sheets.map(own)],
  ...scripts.map((name): [string, string[]] => [name, [own(name)]]),
  ['turbo.js', [library('turbo.js', 'turbo/dist/turbo.es2017-esm.js')]],
  ['stimulus.js', [library('stimulus.js', 'stimulus/dist/stimulus.js')]],
  ['icon.svg', [own('icon.svg')]],
]);

/** A library as the build has made it smaller, or as its package brings it. */
function library(name: string, path: string): string {
  const built = own(name);
  return existsSync(built) ? built : join(projectFolder(), 'node_modules/@hotwired', path);
}

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

const assets: ReadonlyMap<string, Asset> = new Map(
  [...sources].map(([name, files]) => [name, read(name, files)]),
);

/** The folder of all of them is named by their hash, so that they may be kept for ever and find each other by name. */
const version = [...assets.values()]
  .reduce((hash, { bytes }) => hash.update(bytes), createHash('sha256'))
  .digest('base64url')
  .slice(0, 12);

function read(name: string, files: readonly string[]): Asset {
  const bytes = Buffer.concat(files.map((file) => readFileSync(file)));
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  let compressed: Promise<Buffer> | undefined;
  return {
    type: types[name.split('.').at(-1) ?? ''] ?? '',
    bytes,
    compressed: () => (compressed ??= promisify(brotliCompress)(bytes, { params: quality })),
  };
}

/** The asset of this name, if the version is the one in force. */
export function assetOf(ofVersion: string, name: string): Asset | undefined {
  return ofVersion === version ? assets.get(name) : undefined;
}

/** Where an asset is. */
export function assetPath(name: string): string {
  return `/console/assets/${version}/${name}`;
}
