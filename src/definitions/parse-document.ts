import { type Document, LineCounter, parseDocument as parseYaml } from 'yaml';
import { DefinitionFaults, type Fault } from './definition-faults.js';
import { findDeepNesting } from './nesting.js';
import { type PlainDocument, toPlain } from './to-plain.js';

const longest = 1_000_000;
const reported = 20;

/** Parses one YAML 1.2 or JSON document; throws `DefinitionFaults` where it is neither. */
export function parseDocument(text: string, file: string): PlainDocument {
  refuse(file, sizeFaults(text));
  const lines = new LineCounter();
  const document = parseYaml(text, {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  refuse(file, syntaxFaults(document, lineAt));
  return toPlain(document.contents, lineAt);
}

function refuse(file: string, faults: readonly Fault[]): void {
  if (faults.length > 0) throw new DefinitionFaults(file, faults);
}

function sizeFaults(text: string): Fault[] {
  if (text.length > longest) return [{ path: '', line: 1, message: 'is longer than 1,000,000 characters' }];
  const line = findDeepNesting(text);
  return line === undefined ? [] : [{ path: '', line, message: 'is nested too deeply' }];
}

function syntaxFaults(document: Document.Parsed, lineAt: (offset: number) => number): Fault[] {
  const { explicit, version } = document.directives.yaml;
  if (explicit === true && version !== '1.2') return [{ path: '', line: 1, message: 'is not YAML 1.2' }];
  return document.errors.slice(0, reported).map(({ code, message, pos: [offset] }) => ({
    path: '',
    line: lineAt(offset),
    message: messages.get(code) ?? message,
  }));
}

const messages = new Map<string, string>([['MULTIPLE_DOCS', 'begins a second document: a file holds one']]);
