import { type ASTNode, type ASTOperator } from '@marcbachmann/cel-js';
import { ExpressionError } from './expression-error.js';
import { functions, macros, methods } from './language.js';
import { own, ownFunctions, ownMethods } from './searches.js';

/** The expression written anew for our environment, and the names of `task` that it reads. */
export interface Guarded {
  readonly source: string;
  readonly fields: ReadonlySet<string>;
}

/**
 * Writes a parsed expression anew: fraction literals become exact decimals, every value that can be large is charged
 * for, and what language.ts does not offer is refused.
 */
export function guard(tree: ASTNode): Guarded {
  const fields = new Set<string>();
  return { source: write(tree, fields), fields };
}

type Fields = Set<string>;
type Nodes = { [K in ASTOperator]: Extract<ASTNode, { op: K }> };
type Writers = { [K in ASTOperator]: (node: Nodes[K], fields: Fields) => string };

function write(node: ASTNode, fields: Fields): string {
  return writeAs(node.op, node, fields);
}

function writeAs<K extends ASTOperator>(operator: K, node: Nodes[K], fields: Fields): string {
  const writer: Writers[K] = writers[operator];
  return writer(node, fields);
}

const writers: Writers = {
  value: writeLiteral,
  id: ({ args: name }) => (name === 'performer' ? name : charged(variable(name))),
  '.': ({ args: [of, name] }, fields) =>
    charged(isTask(of) ? read(name, fields) : `${operand(of, fields)}.${name}`),
  '[]': ({ args: [of, key] }, fields) =>
    charged(isTask(of) ? read(literalName(key), fields) : `${operand(of, fields)}[${write(key, fields)}]`),
  '.?': refuseOptional,
  '[?]': refuseOptional,
  call: writeCall,
  rcall: writeMethod,
  list: ({ args }, fields) =>
    chargedUnlessEmpty(
      '[',
      args.map((item) => writeElement(item, fields)),
      ']',
    ),
  map: ({ args }, fields) =>
    chargedUnlessEmpty(
      '{',
      args.map(([key, value]) => `${write(key, fields)}: ${write(value, fields)}`),
      '}',
    ),
  '?:': ({ args: [when, then, otherwise] }, fields) =>
    `${operand(when, fields)} ? ${write(then, fields)} : ${write(otherwise, fields)}`,
  '!_': ({ args }, fields) => `!${operand(args, fields)}`,
  '-_': ({ args }, fields) => `-${operand(args, fields)}`,
  '+': (node, fields) => charged(infix(node, fields)),
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

// A list's integers are decimals, as the library finds a decimal only among its like: task["Level"] in [1, -2].
function writeElement(node: ASTNode, fields: Fields): string {
  const digits = node.op === '-_' ? node.args : node;
  const isInteger = digits.op === 'value' && typeof digits.args === 'bigint';
  return isInteger ? `decimal("${node === digits ? '' : '-'}${String(digits.args)}")` : write(node, fields);
}

// The same for what is looked for: size(task.Regions) in [1, 2].
function writeMembership(node: Nodes['in'], fields: Fields): string {
  const [item, list] = node.args;
  return list.op === 'list'
    ? `exact(${write(item, fields)}) in ${operand(list, fields)}`
    : infix(node, fields);
}

function writeCall({ args: [name, given] }: Nodes['call'], fields: Fields): string {
  const written = given.map((argument) => write(argument, fields));
  if (name === 'today' && given.length === 0) return '__today';
  if (name === 'has') return `has(${bareSelection(given, fields)})`;
  if (functions.has(name))
    return charged(`${ownFunctions.has(name) ? own : ''}${name}(${written.join(', ')})`);
  throw new ExpressionError(`there is no function ${name}()`);
}

// has() takes a selection as it stands, and asks whether there is such a key.
function bareSelection([selection]: ASTNode[], fields: Fields): string {
  if (selection?.op === '.')
    return `${isTask(selection.args[0]) ? 'task' : operand(selection.args[0], fields)}.${selection.args[1]}`;
  throw new ExpressionError('has() takes a key, such as task.Name');
}

function writeMethod({ args: [name, of, given] }: Nodes['rcall'], fields: Fields): string {
  if (macros.has(name)) return writeMacro(name, of, given, fields);
  if (!methods.has(name)) throw new ExpressionError(`there is no function ${name}()`);
  const written = given.map((argument) => write(argument, fields));
  return charged(`${operand(of, fields)}.${ownMethods.has(name) ? own : ''}${name}(${written.join(', ')})`);
}

function writeMacro(name: string, of: ASTNode, [item, ...bodies]: ASTNode[], fields: Fields): string {
  if (item?.op !== 'id') throw new ExpressionError(`${name}() takes a variable first`);
  const written = bodies.map((body) => charged(write(body, fields)));
  const walk = `walked(${write(of, fields)}, ${unitsOf(written)})`;
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
function infix(node: Infix, fields: Fields): string {
  const [left, right] = node.args;
  const isChain = isInfix(left) && levelOf(left) === levelOf(node);
  return `${isChain ? infix(left, fields) : operand(left, fields)} ${node.op} ${operand(right, fields)}`;
}

function operand(node: ASTNode, fields: Fields): string {
  const written = write(node, fields);
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

function read(name: string, fields: Fields): string {
  fields.add(name);
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
