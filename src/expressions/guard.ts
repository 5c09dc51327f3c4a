import { type ASTNode, type ASTOperator } from '@marcbachmann/cel-js';
import { ExpressionError } from './expression-error.js';
import { functions, macros, methods } from './language.js';
import { own, ownFunctions, ownMethods } from './own-functions.js';
import { type Pattern, compilePattern, mostInstructions } from './pattern.js';

/** The expression written anew for our environment, and what it reads. */
export interface Guarded {
  readonly source: string;
  /** The names of `task`. */
  readonly fields: ReadonlySet<string>;
  /** By their places in `__patterns`. */
  readonly patterns: readonly Pattern[];
}

interface Reads {
  readonly fields: Set<string>;
  readonly patterns: Pattern[];
}

/**
 * Writes a parsed expression anew: fraction literals become exact decimals, every value that can be large is charged
 * for, and what language.ts does not offer is refused.
 */
export function guard(tree: ASTNode): Guarded {
  const reads: Reads = { fields: new Set(), patterns: [] };
  return { source: write(tree, reads), ...reads };
}

type Nodes = { [K in ASTOperator]: Extract<ASTNode, { op: K }> };
type Writers = { [K in ASTOperator]: (node: Nodes[K], reads: Reads) => string };

function write(node: ASTNode, reads: Reads): string {
  return writeAs(node.op, node, reads);
}

function writeAs<K extends ASTOperator>(operator: K, node: Nodes[K], reads: Reads): string {
  const writer: Writers[K] = writers[operator];
  return writer(node, reads);
}

const writers: Writers = {
  value: writeLiteral,
  id: ({ args: name }) => (name === 'performer' ? name : charged(variable(name))),
  '.': ({ args: [of, name] }, reads) =>
    charged(isTask(of) ? read(name, reads) : `${operand(of, reads)}.${name}`),
  '[]': ({ args: [of, key] }, reads) =>
    charged(isTask(of) ? read(literalName(key), reads) : `${operand(of, reads)}[${write(key, reads)}]`),
  '.?': refuseOptional,
  '[?]': refuseOptional,
  call: writeCall,
  rcall: writeMethod,
  list: ({ args }, reads) => writeList(args, reads),
  map: ({ args }, reads) =>
    chargedUnlessEmpty(
      '{',
      args.map(([key, value]) => `${write(key, reads)}: ${write(value, reads)}`),
      '}',
    ),
  '?:': ({ args: [when, then, otherwise] }, reads) =>
    `${operand(when, reads)} ? ${write(then, reads)} : ${write(otherwise, reads)}`,
  '!_': ({ args }, reads) => `!${operand(args, reads)}`,
  '-_': ({ args }, reads) => `-${operand(args, reads)}`,
  '+': (node, reads) => charged(infix(node, reads)),
  '-': infix,
  '*': infix,
  '/': infix,
  '%': infix,
  '<': infix,
  '<=': infix,
  '>': infix,
  '>=': infix,
  in: writeMembership,
  '==': infix,
  '!=': infix,
  '&&': infix,
  '||': infix,
};

function writeLiteral({ args: value, input, start, end }: Nodes['value']): string {
  if (typeof value === 'string')
    return value.length > 64 ? charged(JSON.stringify(value)) : JSON.stringify(value);
  if (typeof value === 'number') return `decimal("${input.slice(start, end)}")`;
  if (typeof value === 'object' && value !== null)
    throw new ExpressionError('bytes and unsigned numbers are not offered');
  return String(value);
}

function writeList(items: readonly ASTNode[], reads: Reads): string {
  return chargedUnlessEmpty(
    '[',
    items.map((item) => writeElement(item, reads)),
    ']',
  );
}

// A list's integers are decimals, as the library finds a decimal only among its like: task["Level"] in [1, -2].
function writeElement(node: ASTNode, reads: Reads): string {
  const digits = node.op === '-_' ? node.args : node;
  const isInteger = digits.op === 'value' && typeof digits.args === 'bigint';
  return isInteger ? `decimal("${node === digits ? '' : '-'}${String(digits.args)}")` : write(node, reads);
}

// The same for what is looked for: size(task.Regions) in [1, 2].
function writeMembership(node: Nodes['in'], reads: Reads): string {
  const [item, list] = node.args;
  return list.op === 'list' ? `exact(${write(item, reads)}) in ${operand(list, reads)}` : infix(node, reads);
}

function writeCall({ args: [name, given] }: Nodes['call'], reads: Reads): string {
  if (given.length === 0 && (name === 'today' || name === 'now')) return `__${name}`;
  if (name === 'matches') return writeMatch(given, reads);
  if (listed.has(name) && given.length > 1) return charged(`${own}${name}(${writeList(given, reads)})`);
  const written = given.map((argument) => write(argument, reads));
  if (name === 'has') return `has(${bareSelection(given, reads)})`;
  if (functions.has(name))
    return charged(`${ownFunctions.has(name) ? own : ''}${name}(${written.join(', ')})`);
  throw new ExpressionError(`there is no function ${name}()`);
}

/** Functions that take a list or its members. */
const listed: ReadonlySet<string> = new Set(['min', 'max']);

/** A pattern is compiled along with the expression, so it must be there as it stands. */
function writeMatch([text, pattern, ...rest]: ASTNode[], reads: Reads): string {
  if (!text || pattern?.op !== 'value' || typeof pattern.args !== 'string' || rest.length > 0)
    throw new ExpressionError('matches() takes a text and a pattern in quotes');
  reads.patterns.push(compilePattern(pattern.args));
  const size = reads.patterns.reduce((sum, { instructions }) => sum + instructions, 0);
  if (size > mostInstructions) throw new ExpressionError('the patterns of matches() are too large');
  return `${operand(text, reads)}.${own}matches(__patterns[${reads.patterns.length - 1}])`;
}

// has() takes a selection as it stands, and asks whether there is such a key.
function bareSelection([selection]: ASTNode[], reads: Reads): string {
  if (selection?.op === '.')
    return `${isTask(selection.args[0]) ? 'task' : operand(selection.args[0], reads)}.${selection.args[1]}`;
  throw new ExpressionError('has() takes a key, such as task.Name');
}

function writeMethod({ args: [name, of, given] }: Nodes['rcall'], reads: Reads): string {
  if (macros.has(name)) return writeMacro(name, of, given, reads);
  if (name === 'matches') return writeMatch([of, ...given], reads);
  if (!methods.has(name)) throw new ExpressionError(`there is no function ${name}()`);
  const written = given.map((argument) => write(argument, reads));
  return charged(`${operand(of, reads)}.${ownMethods.has(name) ? own : ''}${name}(${written.join(', ')})`);
}

function writeMacro(name: string, of: ASTNode, [item, ...bodies]: ASTNode[], reads: Reads): string {
  if (item?.op !== 'id') throw new ExpressionError(`${name}() takes a variable first`);
  const written = bodies.map((body) => charged(write(body, reads)));
  const walk = `walked(${write(of, reads)}, ${unitsOf(written)})`;
  return charged(`${walk}.${name}(${[variable(item.args), ...written].join(', ')})`);
}

// What a round of a macro costs beside its values: 3 units for each node, and where an error may be swallowed, what the
// library takes to make one: it draws the source.
function unitsOf(bodies: readonly string[]): number {
  const written = bodies.join();
  const swallows = 1 + (written.match(/ (?:\|\||&&) |\.(?:all|exists)\(/g)?.length ?? 0);
  return Math.ceil(written.length / 4 + swallows * (20 + written.length / 20));
}

type Infix = Extract<ASTNode, { args: [ASTNode, ASTNode] }>;

// A chain from the left needs no parentheses, which would nest as deep as it is long.
function infix(node: Infix, reads: Reads): string {
  const [left, right] = node.args;
  const isChain = isInfix(left) && levelOf(left) === levelOf(node);
  return `${isChain ? infix(left, reads) : operand(left, reads)} ${node.op} ${operand(right, reads)}`;
}

function operand(node: ASTNode, reads: Reads): string {
  const written = write(node, reads);
  return isCharged(node) ? written : `(${written})`;
}

function isCharged({ op }: ASTNode): boolean {
  return ['id', '.', '[]', 'call', 'rcall', '+'].includes(op);
}

const levels = [['*', '/', '%'], ['+', '-'], ['<', '<=', '>', '>=', 'in'], ['==', '!='], ['&&'], ['||']];

function isInfix(node: ASTNode): node is Infix {
  return levelOf(node) >= 0;
}

function levelOf(node: ASTNode): number {
  return levels.findIndex((level) => level.includes(node.op));
}

function isTask(node: ASTNode): boolean {
  return node.op === 'id' && node.args === 'task';
}

function read(name: string, reads: Reads): string {
  reads.fields.add(name);
  return `task[${JSON.stringify(name)}]`;
}

function literalName(key: ASTNode): string {
  if (key.op === 'value' && typeof key.args === 'string') return key.args;
  throw new ExpressionError('task[…] takes the name of a field in quotes');
}

function variable(name: string): string {
  if (name === 'task') throw new ExpressionError('task is read by task["Field Name"] or task.Name');
  if (name.startsWith('__')) throw new ExpressionError(`Unknown variable: ${name}`);
  return name;
}

function charged(written: string): string {
  return `charged(${written})`;
}

// The type of an empty list is still open and would not survive a call.
function chargedUnlessEmpty(open: string, items: readonly string[], close: string): string {
  const written = `${open}${items.join(', ')}${close}`;
  return items.length === 0 ? written : charged(written);
}

function refuseOptional(): never {
  throw new ExpressionError('optional selections are not offered');
}
