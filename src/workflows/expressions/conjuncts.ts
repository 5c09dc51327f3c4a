import { type ASTNode } from '@marcbachmann/cel-js';
import { environment, userLimits } from './environment.js';

const parser = environment.clone({ limits: userLimits });

/** The source of each operand of the outermost `&&`; all of them must be true. */
export function conjunctsOf(source: string): string[] {
  const parts = (node: ASTNode): string[] =>
    node.op === '&&' ? node.args.flatMap(parts) : [source.slice(node.start, node.end)];
  return parts(parser.parse(source).ast);
}
