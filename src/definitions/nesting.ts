import { CST, Lexer } from 'yaml';

const limit = 500;

/**
 * The line at which a YAML text may nest too deeply for the (recursive) parser, if there is one. Counts the brackets
 * that are open, the indentation of the line and its indicators, which bound the depth from above.
 */
export function findDeepNesting(text: string): number | undefined {
  let [line, open, width, isScalar, isIndentation] = [1, 0, 0, false, true];
  for (const token of new Lexer().lex(text)) {
    const type = isScalar ? null : CST.tokenType(token);
    isScalar = type === 'scalar';
    if (type === 'newline') [line, width, isIndentation] = [line + 1, 0, true];
    else if (type === 'space') width += isIndentation ? token.length : 0;
    else if (type === 'flow-map-start' || type === 'flow-seq-start')
      [open, isIndentation] = [open + 1, false];
    else if (type === 'flow-map-end' || type === 'flow-seq-end') open = Math.max(0, open - 1);
    else if (type === 'seq-item-ind' || type === 'explicit-key-ind' || type === 'map-value-ind')
      width += isIndentation ? 1 : 0;
    else if (isScalar || type === 'alias') isIndentation = false;
    if (open + width > limit) return line;
  }
  return undefined;
}
