import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Request } from 'express';
import { CONFIG, type Config } from '../../config.js';
import { LOGGER, type Logger } from '../../lib/logger.js';
import { type Asset, assetOfBytes } from '../assets.js';
import { type AccentColours, coloursOf } from './accent.js';

/** How those who run the service want its pages to look. */
export interface Brand {
  /** What the service is called; the words of the language say it where nobody has. */
  readonly name: string | undefined;
  /** Where the files are, for those that there are. */
  readonly logo: string | undefined;
  readonly sheet: string | undefined;
}

const brands = new WeakMap<object, Brand>();
const plain: Brand = { name: undefined, logo: undefined, sheet: undefined };

/** The brand of the service that a request came to. */
export function brandOf({ app }: Request): Brand {
  return brands.get(app) ?? plain;
}

/** Reads at the start what the settings name; a logo that cannot be shown ends it. */
@Injectable()
export class Branding implements OnModuleInit {
  private readonly files = new Map<string, Asset>();
  private version = '';

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly host: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    const { name, accent, logo } = this.config.brand;
    const picture = logo === undefined ? undefined : readLogo(logo);
    if (picture) this.files.set(`logo.${picture.extension}`, picture.asset);
    if (accent !== undefined) this.files.set('accent.css', assetOfBytes('css', this.sheetOf(accent)));
    this.version = versionOf([...this.files.values()]);
    const [sheet] = this.pathsOf('accent.css');
    const [shown] = picture ? this.pathsOf(`logo.${picture.extension}`) : [];
    brands.set(this.host.httpAdapter.getInstance<object>(), { name, logo: shown, sheet });
  }

  /** The file of this name, if the version is the one in force. */
  file(version: string, name: string): Asset | undefined {
    return version === this.version ? this.files.get(name) : undefined;
  }

  private pathsOf(name: string): string[] {
    return this.files.has(name) ? [`/console/brand/${this.version}/${name}`] : [];
  }

  private sheetOf(accent: string): Buffer {
    const [light, dark] = [coloursOf(accent, 'light'), coloursOf(accent, 'dark')];
    for (const [scheme, { accent: seen }] of Object.entries({ light, dark }))
      if (seen !== accent)
        this.logger.info(
          { accent, scheme, shown: seen },
          'WTS_CONSOLE_ACCENT was adjusted for contrast with the background',
        );
    const names = Object.keys(tokens) as (keyof AccentColours)[];
    const lines = names.map((name) => `--${tokens[name]}:light-dark(${light[name]},${dark[name]})`);
    return Buffer.from(`@layer tokens{:root{${lines.join(';')}}}`);
  }
}

/** What the colours are called in tokens.css. */
const tokens: Readonly<Record<keyof AccentColours, string>> = {
  accent: 'accent',
  strong: 'accent-strong',
  text: 'accent-text',
  soft: 'accent-soft',
  on: 'on-accent',
};

const versionOf = (files: readonly Asset[]): string =>
  files
    .reduce((hash, { bytes }) => hash.update(bytes), createHash('sha256'))
    .digest('base64url')
    .slice(0, 12);

/** A picture that browsers show, by what is in it and not by its name. */
function readLogo(path: string): { extension: string; asset: Asset } {
  const wrong = (why: string): Error => new Error(`WTS_CONSOLE_LOGO must be a picture (SVG, PNG, WebP or JPEG) of at most ${MAX_LOGO_BYTES / 1024} kB: ${path} ${why}`); // prettier-ignore
  let bytes: Buffer;
  try {
    if (statSync(path).size > MAX_LOGO_BYTES) throw wrong('is larger');
    bytes = readFileSync(path);
  } catch (error) {
    throw error instanceof Error && 'code' in error ? wrong('cannot be read') : error;
  }
  const [extension] = pictures.find(([, isSuch]) => isSuch(bytes)) ?? [];
  if (extension === undefined) throw wrong('is not one');
  return { extension, asset: assetOfBytes(extension, bytes) };
}

const MAX_LOGO_BYTES = 262_144;

const pictures: readonly (readonly [extension: string, isSuch: (bytes: Buffer) => boolean])[] = [
  ['png', (bytes) => bytes.subarray(0, 4).toString('latin1') === '\x89PNG'],
  ['jpg', (bytes) => bytes.subarray(0, 3).toString('latin1') === '\xff\xd8\xff'],
  ['webp', (bytes) => /^RIFF.{4}WEBP$/s.test(bytes.subarray(0, 12).toString('latin1'))],
  ['svg', (bytes) => /^\uFEFF?\s*<(\?xml|!--|!DOCTYPE svg|svg)/.test(bytes.toString('utf8')) && bytes.includes('<svg')], // prettier-ignore
];
