import { type ASTNode } from '@marcbachmann/cel-js';
import { environment, userLimits } from './environment.js';

const parser = environment.clone({ limits: userLimits });

/** The parts of an expression that must all be true, as they are written: what stands between `&&` on the outside. */
export function conjunctsOf(source: string): string[] {
  const parts = (node: ASTNode): string[] =>
    node.op === '&&' ? node.args.flatMap(parts) : [source.slice(node.start, node.end)];
  return parts(parser.parse(source).ast);
}
