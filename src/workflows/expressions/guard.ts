import { type ASTNode, type ASTOperator } from '@marcbachmann/cel-js';
import { comparedWith, type LiteralComparison, isComparing, type ReadField } from './results.js';
import { ExpressionError } from './expression-error.js';
import { didYouMean } from '../../common/did-you-mean.js';
import { unknownFunction } from './hints.js';
import { functions, macros, methods } from './language.js';
import { own, ownFunctions, ownMethods, MAX_INSTRUCTIONS, patternOf } from './own-functions.js';
import { type Pattern } from '../../common/pattern.js';
import {
  factKeys,
  isTask,
  keyOfScope,
  type LinkedReads,
  refuseSubject,
  type ExpressionScope,
  type ExpressionSubject,
  subjectOf,
  type Variables,
} from './scope.js';

export interface Findings extends LinkedReads {
  /** The keys of `task` that it reads. */
  readonly fields: ReadonlySet<string>;
  readonly comparisons: readonly LiteralComparison[];
  /** The fields that it uses as conditions. */
  readonly conditions: readonly ReadField[];
  /** The fields that it may return unchanged, possibly by `? :`. */
  readonly yields: readonly ReadField[];
  /** Reads that never find a value, as sentences. Such an expression compiles, but fails. */
  readonly misreads: readonly string[];
  /** The ids of deadlines that it passes to `overdue`; null for any deadline. */
  readonly deadlines: ReadonlySet<string | null>;
}

/** An expression rewritten for `environment`. */
export interface GuardedExpression {
  readonly source: string;
  /** The patterns by their index in `__patterns`. */
  readonly patterns: readonly Pattern[];
  readonly findings: Findings;
}

/** The reads found so far, and the present place in the expression. */
interface Reads extends LinkedReads {
  readonly fields: Set<string>;
  readonly comparisons: LiteralComparison[];
  readonly conditions: ReadField[];
  readonly misreads: string[];
  readonly deadlines: Set<string | null>;
  readonly patterns: Pattern[];
  readonly scope: ExpressionScope;
  readonly variables: Variables;
  /** The number of loops around it. */
  readonly loops: number;
}

/** Decimal literals become exact, loops are bounded, and everything outside language.ts is rejected. */
export function guard(tree: ASTNode, scope: ExpressionScope): GuardedExpression {
  const reads: Reads = {
    scope,
    fields: new Set(),
    patterns: [],
    comparisons: [],
    conditions: [],
    misreads: [],
    deadlines: new Set(),
    linked: new Map(),
    ofOther: new Set(),
    variables: new Map(),
    loops: 0,
  };
  const source = write(tree, reads);
  const { patterns, scope: _scope, variables: _variables, loops: _loops, ...found } = reads;
  return { source, patterns, findings: { ...found, yields: fieldsIn(tree, reads) } };
}

type Nodes = { [K in ASTOperator]: Extract<ASTNode, { op: K }> };
type Writers = { [K in ASTOperator]: (node: Nodes[K], reads: Reads) => string };

function write(node: ASTNode, reads: Reads): string {
  const subject = subjectIn(node, reads);
  if (subject) refuseSubject(subject);
  return writeAs(node.op, node, reads);
}

function writeAs<K extends ASTOperator>(operator: K, node: Nodes[K], reads: Reads): string {
  const writer: Writers[K] = writers[operator];
  return writer(node, reads);
}

const writers: Writers = {
  value: writeLiteral,
  id: writeVariable,
  '.': (node, reads) => writeField(node, reads) ?? `${operand(node.args[0], reads)}.${node.args[1]}`,
  '[]': (node, reads) =>
    writeField(node, reads) ?? `${operand(node.args[0], reads)}[${write(node.args[1], reads)}]`,
  '.?': refuseOptional,
  '[?]': refuseOptional,
  call: writeCall,
  rcall: writeMethod,
  list: ({ args }, reads) => writeList(args, reads),
  map: ({ args }, reads) =>
    `{${args.map(([key, value]) => `${write(key, reads)}: ${write(value, reads)}`).join(', ')}}`,
  '?:': writeChoice,
  '!_': ({ args }, reads) => `!${condition(args, reads)}`,
  '-_': ({ args }, reads) => `-${operand(args, reads)}`,
  '+': infix,
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

function subjectIn(node: ASTNode, reads: Reads): ExpressionSubject | undefined {
  return subjectOf(node, reads.scope, reads, reads.variables);
}

/** The settings where each of these variables is known. */
const others: ReadonlyMap<string, string> = new Map([
  ['linked', 'the values of update_linked_tasks'],
  ['before', '`when` of a webhook or a rule'],
  ['actor', 'a rule'],
  ['comment', 'a rule on commented'],
  ['item', 'a rule on checklist_completed'],
  ['execution', 'a rule on execution_succeeded or execution_failed'],
  ['approval', 'a rule on approval_complete, approval_rejected or approval_stale'],
  ['body', 'a rule on hook'],
]);

function writeVariable({ args: name }: Nodes['id'], { variables, scope }: Reads): string {
  if (name === 'performer') return name;
  if (!variables.has(name) && scope.facts?.some((fact) => fact === name))
    return `__facts[${JSON.stringify(name)}]`;
  const place = variables.has(name) ? undefined : others.get(name);
  if (place !== undefined) throw new ExpressionError(`${name} is available only in ${place}`);
  return variable(name);
}

function writeField(node: Nodes['.'] | Nodes['[]'], reads: Reads): string | undefined {
  const [of] = node.args;
  const subject = subjectIn(of, reads);
  const held = fieldOf(of, reads);
  const name = keyOfScope(node);
  if (held && name !== undefined)
    reads.misreads.push(`reads ${name} of ${held.field}, which is a field without keys`);
  if (name !== undefined) checkFact(of, name, reads);
  if (!isTask(of) && !subject) return undefined;
  if (subject?.isMultiple) return refuseSubject(subject);
  if (name === undefined)
    throw new ExpressionError(`${subject?.shown ?? 'task'}[…] takes the name of a field in quotes`);
  (subject?.fields ?? reads.fields).add(name);
  const key = JSON.stringify(name);
  return subject ? `__field(${writeSubject(of, reads)}, ${key})` : `task[${key}]`;
}

/** Records a read of a key that the fact never has. */
function checkFact(of: ASTNode, name: string, { misreads, scope, variables }: Reads): void {
  if (of.op !== 'id' || variables.has(of.args) || !scope.facts?.some((fact) => fact === of.args)) return;
  const keys = factKeys.get(of.args);
  if (keys && !keys.includes(name))
    misreads.push(`reads ${name} of ${of.args}, which has ${keys.join(', ')}${didYouMean(name, keys)}`);
}

/** Writes linked tasks in the places that allow them: before a field, macro or index, in size(), and beside null. */
function writeSubject(node: ASTNode, reads: Reads): string {
  if (subjectIn(node, reads)) {
    if (node.op === 'id') return variable(node.args);
    if (node.op === 'rcall') return writeMethod(node, reads);
    if (node.op === '.' || node.op === '[]') return writeSelected(node, reads);
  }
  return write(node, reads);
}

function writeSelected(node: Nodes['.'] | Nodes['[]'], reads: Reads): string {
  const [of, key] = node.args;
  if (isTask(of)) return `task[${JSON.stringify(keyOfScope(node))}]`;
  return `${writeSubject(of, reads)}[${typeof key === 'string' ? key : write(key, reads)}]`;
}

// If one branch is null, the other may have any type: `… ? today() : null`.
function writeChoice({ args: [when, then, otherwise] }: Nodes['?:'], reads: Reads): string {
  const isOpen = isNull(then) || isNull(otherwise);
  const [one, other] = [write(then, reads), write(otherwise, reads)].map((value) =>
    isOpen ? `dyn(${value})` : value,
  );
  return `${condition(when, reads)} ? ${one} : ${other}`;
}

function isNull({ op, args }: ASTNode): boolean {
  return op === 'value' && args === null;
}

function writeLiteral({ args: value, input, start, end }: Nodes['value']): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return `decimal("${input.slice(start, end)}")`;
  if (typeof value === 'object' && value !== null)
    throw new ExpressionError('bytes and unsigned numbers are not supported');
  return String(value);
}

function writeList(items: readonly ASTNode[], reads: Reads): string {
  return `[${items.map((item) => writeElement(item, reads)).join(', ')}]`;
}

// Integers in a list become decimals, because the library compares decimals with decimals only: task["Level"] in [1,
// -2].
function writeElement(node: ASTNode, reads: Reads): string {
  const digits = node.op === '-_' ? node.args : node;
  const isInteger = digits.op === 'value' && typeof digits.args === 'bigint';
  return isInteger ? `decimal("${node === digits ? '' : '-'}${String(digits.args)}")` : write(node, reads);
}

// The value to find in such a list becomes a decimal for the same reason: size(task.Regions) in [1, 2].
function writeMembership(node: Nodes['in'], reads: Reads): string {
  const [item, list] = node.args;
  if (list.op === 'list') noteComparisons(item, list, node.op, reads);
  return list.op === 'list' ? `exact(${write(item, reads)}) in ${operand(list, reads)}` : infix(node, reads);
}

function writeCall({ args: [name, given] }: Pick<Nodes['call'], 'args'>, reads: Reads): string {
  if (given.length === 0 && (name === 'today' || name === 'now')) return `__${name}`;
  if (name === 'overdue') return writeOverdue(given, reads);
  if (name === 'matches') return writeMatch(given, reads);
  if (listed.has(name) && given.length > 1) return `${own}${name}(${writeList(given, reads)})`;
  const [first] = given;
  if (name === 'size' && first && subjectIn(first, reads)?.isMultiple)
    return `size(${writeSubject(first, reads)})`;
  const written = given.map((argument) => write(argument, reads));
  if (name === 'has') return `has(${bareSelection(given, reads)})`;
  if (functions.has(name)) return `${ownFunctions.has(name) ? own : ''}${name}(${written.join(', ')})`;
  throw new ExpressionError(unknownFunction(name));
}

/** Functions that take a list or its members. */
const listed: ReadonlySet<string> = new Set(['min', 'max']);

function writeOverdue([id, ...rest]: readonly ASTNode[], { scope, deadlines }: Reads): string {
  // `before` and facts belong to an event, and by the time it is judged the deadline may have ended or not begun.
  if (scope.other === 'before' || scope.facts)
    throw new ExpressionError('overdue() is available only in requirements and steps');
  if (!id) {
    deadlines.add(null);
    return '(size(__overdue) > 0)';
  }
  if (id.op !== 'value' || typeof id.args !== 'string' || rest.length > 0)
    throw new ExpressionError('overdue() takes the id of a clock in quotes, or nothing');
  deadlines.add(id.args);
  return `(${JSON.stringify(id.args)} in __overdue)`;
}

/** The pattern must be a literal, because it is compiled with the expression. */
function writeMatch([text, pattern, ...rest]: ASTNode[], reads: Reads): string {
  if (!text || pattern?.op !== 'value' || typeof pattern.args !== 'string' || rest.length > 0)
    throw new ExpressionError('matches() takes a text and a pattern in quotes');
  reads.patterns.push(patternOf(pattern.args));
  const size = reads.patterns.reduce((sum, pattern) => sum + pattern.instructions, 0);
  if (size > MAX_INSTRUCTIONS) throw new ExpressionError('the patterns of matches() are too large');
  return `${operand(text, reads)}.${own}matches(__patterns[${reads.patterns.length - 1}])`;
}

// has() tests whether a key exists, so it needs the selection unchanged.
function bareSelection([selection]: ASTNode[], reads: Reads): string {
  if (selection?.op === '.')
    return `${isTask(selection.args[0]) ? 'task' : operand(selection.args[0], reads)}.${selection.args[1]}`;
  throw new ExpressionError('has() takes a key, such as task.Name');
}

function writeMethod({ args: [name, of, given] }: Nodes['rcall'], reads: Reads): string {
  if (macros.has(name)) return writeMacro(name, of, given, reads);
  if (name === 'matches') return writeMatch([of, ...given], reads);
  if (name === 'size' && given.length === 0) return writeCall({ args: [name, [of]] }, reads);
  if (!methods.has(name)) throw new ExpressionError(unknownFunction(name));
  const written = given.map((argument) => write(argument, reads));
  return `${operand(of, reads)}.${ownMethods.has(name) ? own : ''}${name}(${written.join(', ')})`;
}

function writeMacro(name: string, of: ASTNode, [item, ...bodies]: ASTNode[], reads: Reads): string {
  if (item?.op !== 'id') throw new ExpressionError(`${name}() needs a variable as its first argument`);
  const list = subjectIn(of, reads);
  if (list && !list.isMultiple) refuseSubject(list);
  const each = list && { ...list, isMultiple: false, shown: item.args };
  if (reads.loops === MAX_LOOPS) throw new ExpressionError('more than two loops are nested');
  const variables = new Map([...reads.variables, [item.args, each]]);
  const within = { ...reads, variables, loops: reads.loops + 1 };
  const written = bodies.map((body) => write(body, within));
  return `looped(${writeSubject(of, reads)}).${name}(${[variable(item.args), ...written].join(', ')})`;
}

const MAX_LOOPS = 2;

type Infix = Extract<ASTNode, { args: [ASTNode, ASTNode] }>;

// A left-associative chain gets no parentheses: they would nest as deep as the chain is long.
function infix(node: Infix, reads: Reads): string {
  const [left, right] = node.args;
  if (isComparing(node.op)) noteComparisons(left, right, node.op, reads);
  if (node.op === '&&' || node.op === '||')
    reads.conditions.push(...fieldsIn(left, reads), ...fieldsIn(right, reads));
  if (isComparedToNothing(left, right, node.op, reads)) return `${writeSubject(left, reads)} ${node.op} null`;
  if (isComparedToNothing(right, left, node.op, reads))
    return `null ${node.op} ${writeSubject(right, reads)}`;
  const isChain = isInfix(left) && levelOf(left) === levelOf(node);
  return `${isChain ? infix(left, reads) : operand(left, reads)} ${node.op} ${operand(right, reads)}`;
}

function isComparedToNothing(of: ASTNode, other: ASTNode, op: string, reads: Reads): boolean {
  return isNull(other) && (op === '==' || op === '!=') && subjectIn(of, reads)?.isMultiple === false;
}

function noteComparisons(left: ASTNode, right: ASTNode, op: string, reads: Reads): void {
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const field = fieldOf(one, reads);
    // Only one of two compared fields records the comparison.
    const compared = field && comparedWith(other, op, one === left ? fieldOf(other, reads) : undefined);
    if (compared) reads.comparisons.push({ ...field, ...compared });
  }
}

function fieldOf(node: ASTNode, reads: Reads): ReadField | undefined {
  if (node.op !== '.' && node.op !== '[]') return undefined;
  const [of] = node.args;
  const field = keyOfScope(node);
  if (field === undefined) return undefined;
  if (isTask(of)) return reads.scope.follow(field) ? undefined : { of: 'task', field };
  const subject = subjectIn(of, reads);
  return subject && !subject.isMultiple ? { of: subject.of, field } : undefined;
}

/** The fields that a part of an expression may return unchanged. */
function fieldsIn(node: ASTNode, reads: Reads): ReadField[] {
  if (node.op === '?:') return node.args.slice(1).flatMap((branch) => fieldsIn(branch, reads));
  return [fieldOf(node, reads) ?? []].flat();
}

/** Writes an operand that is used as a condition. */
function condition(node: ASTNode, reads: Reads): string {
  reads.conditions.push(...fieldsIn(node, reads));
  return operand(node, reads);
}

function operand(node: ASTNode, reads: Reads): string {
  const written = write(node, reads);
  return isAtom(node) ? written : `(${written})`;
}

function isAtom({ op }: ASTNode): boolean {
  return ['id', '.', '[]', 'call', 'rcall', 'list', 'map'].includes(op);
}

const levels = [['*', '/', '%'], ['+', '-'], ['<', '<=', '>', '>=', 'in'], ['==', '!='], ['&&'], ['||']];

function isInfix(node: ASTNode): node is Infix {
  return levelOf(node) >= 0;
}

function levelOf(node: ASTNode): number {
  return levels.findIndex((level) => level.includes(node.op));
}

function variable(name: string): string {
  if (name === 'task') throw new ExpressionError('task is read by task["Field Name"] or task.Name');
  if (name.startsWith('__')) throw new ExpressionError(`Unknown variable: ${name}`);
  return name;
}

function refuseOptional(): never {
  throw new ExpressionError('optional selections are not supported');
}
