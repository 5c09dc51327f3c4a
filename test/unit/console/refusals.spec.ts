import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';
import { codes as ledBy } from '../../../src/mcp/refusal.js';

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
