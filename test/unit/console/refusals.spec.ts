import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';
import { suggested } from '../../../src/lib/did-you-mean.js';
import { saidInGerman } from '../../../src/console/messages/refusals-de.js';
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
const said = new Set<string>();

function gather(node: ts.Node): void {
  if (ts.isTaggedTemplateExpression(node) && ts.isIdentifier(node.tag) && node.tag.text === 'say')
    said.add(codeOf(node.template));
  else if (ts.isStringLiteralLike(node)) said.add(node.text);
  ts.forEachChild(node, gather);
}

function codeOf(template: ts.TemplateLiteral): string {
  if (!ts.isTemplateExpression(template)) return template.text;
  return [template.head, ...template.templateSpans.map(({ literal }) => literal)]
    .map(({ text }) => text)
    .reduce((code, piece, at) => `${code}{${at - 1}}${piece}`);
}

sources.forEach(gather);

it('the codes from which agents are led on are said', () => {
  const codes = Object.values(ledBy).flat();
  expect(codes.filter((code) => !said.has(code))).toEqual([]);
});

describe('messages in German', () => {
  it('have arguments as they are, and sentences among them in German', () => {
    expect(saidInGerman(say`is longer than ${255} characters`)).toEqual({
      text: 'ist länger als 255 Zeichen',
    });
    expect(saidInGerman(ofField('Amount', 'is required'))).toEqual({ text: 'Amount ist erforderlich' });
    expect(saidInGerman(hinted('is not a field of this workflow', suggested('Amuont', ['Amount'])))).toEqual({
      text: 'ist kein Feld dieses Workflows; meinten Sie Amount?',
    });
    expect(saidInGerman(say`is not one of: ${'a {0} b, $1'}`)).toEqual({
      text: 'ist keines von: a {0} b, $1',
    });
  });
});
