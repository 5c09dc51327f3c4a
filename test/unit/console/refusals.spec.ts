import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';
import { suggested } from '../../../src/lib/did-you-mean.js';
import { en } from '../../../src/console/messages/en.js';
import { GERMAN, saidInGerman } from '../../../src/console/messages/refusals-de.js';
import { triggerTypes } from '../../../src/rules/trigger-types.js';
import { wordsOf } from '../../../src/workspace/schema-parts.js';
import { codes as ledBy } from '../../../src/mcp/refusal.js';
import { hinted, ofField, say } from '../../../src/lib/message.js';

const root = resolve(import.meta.dirname, '../../..');
const sources = ['src', 'packages']
  .flatMap((folder) =>
    readdirSync(resolve(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (file) => `${folder}/${file}`,
    ),
  ) // prettier-ignore
  .filter((file) => /\.tsx?$/.test(file) && !file.includes('console/messages/'))
  .map((file) =>
    ts.createSourceFile(file, readFileSync(resolve(root, file), 'utf8'), ts.ScriptTarget.Latest),
  );

/** The codes of all that is said with arguments, and the texts in which all else is said. */
const codes = new Map<string, number>();
const texts: string[] = [];

function gather(node: ts.Node): void {
  if (ts.isTaggedTemplateExpression(node) && ts.isIdentifier(node.tag) && node.tag.text === 'say')
    gatherCode(node.template);
  else if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) texts.push(node.text);
  ts.forEachChild(node, gather);
}

function gatherCode(template: ts.TemplateLiteral): void {
  const spans = ts.isTemplateExpression(template) ? template.templateSpans : [];
  const pieces = ts.isTemplateExpression(template)
    ? [template.head, ...spans.map(({ literal }) => literal)].map(({ text }) => text)
    : [template.text];
  codes.set(
    pieces.reduce((code, piece, at) => `${code}{${at - 1}}${piece}`),
    spans.length,
  );
}

sources.forEach(gather);
const placesIn = (text: string): string[] =>
  [...text.matchAll(/\{\d+\}/g)].map(([place]) => place).toSorted();

describe('messages in German', () => {
  it('are of codes that are said', () => {
    const isSaid = (code: string): boolean =>
      placesIn(code).length > 0 ? codes.has(code) : texts.some((text) => text.includes(code));
    expect([...GERMAN.keys()].filter((code) => !isSaid(code))).toEqual([]);
  });

  it('are those from which agents are led on, too', () => {
    const unsaid = Object.values(ledBy)
      .flat()
      .filter((code) => !codes.has(code) && !texts.includes(code));
    expect(unsaid).toEqual([]);
  });

  it('are there for all that rules wait for', () => {
    const titles = [...triggerTypes.values()].map(({ settings }) => wordsOf(settings).title);
    expect(titles.filter((title) => !GERMAN.has(title))).toEqual([]);
  });

  it('lose no argument', () => {
    const losing = [...GERMAN].filter(([code, words]) => placesIn(code).join() !== placesIn(words).join());
    expect(losing).toEqual([]);
  });

  it('have places that nothing but arguments makes', () => {
    const odd = [...codes].filter(([code, places]) => placesIn(code).length !== places);
    expect(odd).toEqual([]);
    expect(codes.size).toBeGreaterThan(50);
  });

  it('have arguments as they are, and sentences among them in German', () => {
    expect(saidInGerman(say`is longer than ${255} characters`)).toEqual({
      text: 'ist länger als 255 Zeichen',
    });
    expect(saidInGerman(ofField('Amount', 'is required'))).toEqual({ text: 'Amount ist erforderlich' });
    expect(saidInGerman(ofField('is required', 'is not a number'))).toEqual({ text: 'is required ist keine Zahl' }); // prettier-ignore
    expect(saidInGerman(hinted('is not a field of this workflow', suggested('Amuont', ['Amount'])))).toEqual({
      text: 'ist kein Feld dieses Workflows; meinten Sie Amount?',
    });
    expect(saidInGerman(say`is not one of: ${'a {0} b, $1'}`)).toEqual({
      text: 'ist keines von: a {0} b, $1',
    });
  });

  it('are in English, and marked so, where a sentence is not known', () => {
    const lang = 'en';
    expect(saidInGerman('is stranger than that')).toEqual({ text: 'is stranger than that', lang });
    expect(saidInGerman(ofField('Amount', 'is strange'))).toEqual({ text: 'Amount is strange', lang });
    expect(en.said(ofField('Amount', 'is required'))).toEqual({ text: 'Amount is required' });
  });
});
