import { type ASTNode } from '@marcbachmann/cel-js';
import { ExpressionError } from './expression-error.js';
import { didYouMean } from '../../common/did-you-mean.js';
import { own, ownFunctions, ownMethods, MAX_INSTRUCTIONS, patternOf } from './own-functions.js';
import { type Pattern } from '../../common/pattern.js';
import {
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
  /** The keys of `task` that the expression reads, except relationships. */
  readonly fields: Set<string>;
  /** The ids of the clocks whose deadlines `overdue` reads; null for a call without an id. */
  readonly deadlines: Set<string | null>;
}

/** The findings so far, and the context of the node that is being read. */
interface Reads extends Findings {
  readonly patterns: Pattern[];
  readonly edits: Edit[];
  readonly scope: ExpressionScope;
  readonly variables: Variables;
  /** The number of loops around the node. */
  readonly loops: number;
}

/**
 * Replaces the source from `start` to `end` by `text`. An edit must remove both parentheses of a pair, or
 * neither.
 */
type Edit = readonly [start: number, end: number, text: string];

/**
 * Finds what an expression reads, and rewrites the expression for `environment`: for example, decimal
 * literals become exact and loops get a limit. Throws for anything that the language does not support.
 */
export function guard(tree: ASTNode, scope: ExpressionScope): { findings: Findings; rewritten: string } {
  const findings: Findings = {
    fields: new Set(),
    deadlines: new Set(),
    linked: new Map(),
    ofOther: new Set(),
  };
  const edits: Edit[] = [];
  const reads: Reads = { ...findings, scope, patterns: [], edits, variables: new Map(), loops: 0 };
  read(tree, reads);
  return { findings, rewritten: edited(tree.input, edits) };
}

/** Applies all edits to the source. Insertions come before a replacement at the same place. */
function edited(source: string, edits: readonly Edit[]): string {
  let [text, at] = ['', 0];
  for (const [start, end, part] of edits.toSorted((one, other) => one[0] - other[0] || one[1] - other[1])) {
    text += source.slice(at, start) + part;
    at = end;
  }
  return text + source.slice(at);
}

type Parts = readonly ASTNode[];

/** Replaces a node in the source. Returns no child nodes, so that `read` goes no deeper. */
function replace({ start, end }: ASTNode, text: string, { edits }: Reads): Parts {
  edits.push([start, end, text]);
  return [];
}

function insert(at: number, text: string, { edits }: Reads): void {
  edits.push([at, at, text]);
}

/** Skips white space, comments and closing parentheses, and returns the start of the next token. */
function tokenAfter(place: number, { input }: ASTNode): number {
  return place + (/^(?:[\s)]|\/\/.*)*/.exec(input.slice(place))?.[0].length ?? 0);
}

type Nodes = { [K in ASTNode['op']]: Extract<ASTNode, { op: K }> };

function read(node: ASTNode, reads: Reads): void {
  const subject = subjectIn(node, reads);
  if (subject) refuseSubject(subject);
  for (const part of readNode(node, reads)) read(part, reads);
}

/** Reads a node, and returns those of its child nodes that `read` must still read. */
function readNode(node: ASTNode, reads: Reads): Parts {
  switch (node.op) {
    case 'value':
      return readLiteral(node, reads);
    case 'id':
      return readVariable(node, reads);
    case '.':
    case '[]':
      return readSelection(node, reads);
    case '.?':
    case '[?]':
      throw new ExpressionError('optional selections are not supported');
    case 'call':
      return readCall(node, reads);
    case 'rcall':
      return readMethod(node, reads);
    case 'list':
      return readList(node.args, reads);
    case 'map':
      return node.args.flat();
    case '?:':
      return readChoice(node, reads);
    case '!_':
    case '-_':
      return [node.args];
    default:
      return readInfix(node, reads);
  }
}

function subjectIn(node: ASTNode, reads: Reads): ExpressionSubject | undefined {
  return subjectOf(node, reads.scope, reads, reads.variables);
}

function readVariable({ args: name }: Nodes['id'], { variables, scope }: Reads): Parts {
  checkVariable(name);
  const isKnown = variables.has(name) || scope.other === name || scope.facts?.some((fact) => fact === name);
  if (!isKnown && name !== 'performer')
    throw new ExpressionError(`Unknown variable: ${name}; a field is read as task["${name}"]`);
  return [];
}

function checkVariable(name: string): void {
  if (name === 'task')
    throw new ExpressionError('task needs the name of a field: task["Field Name"] or task.Name');
  if (name.startsWith('__')) throw new ExpressionError(`Unknown variable: ${name}`);
}

function readSelection(node: Nodes['.'] | Nodes['[]'], reads: Reads): Parts {
  const [of, key] = node.args;
  const subject = subjectIn(of, reads);
  const name = keyOfScope(node);
  if (!isTask(of) && !subject) return typeof key === 'string' ? [of] : [of, key];
  if (subject?.isMultiple) return refuseSubject(subject);
  if (name === undefined)
    throw new ExpressionError(`${subject?.shown ?? 'task'}[…] takes the name of a field in quotes`);
  (subject?.fields ?? reads.fields).add(name);
  if (!subject) return [];
  readSubject(of, reads);
  // Unlike a selection, `__field` returns null if no task is linked.
  reads.edits.push([tokenAfter(of.end, of), node.end, `.__field(${JSON.stringify(name)})`]);
  return [];
}

/**
 * Reads a node at a place where linked tasks are allowed. They are allowed before a field, a macro or an
 * index, inside size(), and in a comparison with null.
 */
function readSubject(node: ASTNode, reads: Reads): void {
  if (!subjectIn(node, reads)) {
    read(node, reads);
    return;
  }
  if (node.op !== '.' && node.op !== '[]') {
    for (const part of readNode(node, reads)) read(part, reads);
    return;
  }
  const [list, place] = node.args;
  if (isTask(list)) return;
  readSubject(list, reads);
  if (typeof place !== 'string') read(place, reads);
}

// If one branch is null, the other may have any type: `… ? today() : null`.
function readChoice({ args: [when, ...branches] }: Nodes['?:'], reads: Reads): Parts {
  return [when, ...branches.flatMap((each) => (isNull(each) ? replace(each, 'dyn(null)', reads) : each))];
}

function isNull({ op, args }: ASTNode): boolean {
  return op === 'value' && args === null;
}

function readLiteral(node: Nodes['value'], reads: Reads): Parts {
  const { args: value, input, start, end } = node;
  if (typeof value === 'object' && value !== null)
    throw new ExpressionError('bytes and unsigned numbers are not supported');
  return typeof value === 'number' ? replace(node, `decimal("${input.slice(start, end)}")`, reads) : [];
}

/** The integer literal in a node, with or without a sign; undefined if the node is something else. */
function integerIn(node: ASTNode): Nodes['value'] | undefined {
  const literal = node.op === '-_' ? node.args : node;
  return literal.op === 'value' && typeof literal.args === 'bigint' ? literal : undefined;
}

// In lists, the library compares decimals only with decimals. Integers in lists therefore become decimals, so
// that `[task.Level] == [1]` can be true.
function readList(items: Parts, reads: Reads): Parts {
  return items.flatMap((item) => {
    const integer = integerIn(item);
    return integer ? replace(integer, `decimal("${String(integer.args)}")`, reads) : item;
  });
}

function readCall(node: Nodes['call'], reads: Reads): Parts {
  const [name, given] = node.args;
  if (given.length === 0 && (name === 'today' || name === 'now')) return replace(node, `__${name}`, reads);
  if (name === 'overdue') return replace(node, overdue(given, reads), reads);
  if (name === 'matches') return readMatch(node.start, given, reads);
  if (name === 'size') return readCounted(given, reads);
  if (name === 'has') return readKey(given);
  if (!functions.has(name)) throw unknownFunction(name);
  if (ownFunctions.has(name)) insert(node.start, own, reads);
  if (!listed.has(name) || given.length < 2) return given;
  insert(tokenAfter(node.start + name.length, node) + 1, '[', reads);
  insert(node.end - 1, ']', reads);
  return readList(given, reads);
}

function unknownFunction(name: string): ExpressionError {
  const known = [...functions, ...methods, ...macros];
  if (known.includes(name)) return new ExpressionError(`${name}() exists, but is called in another form`);
  return new ExpressionError(`there is no function ${name}()${didYouMean(name, known)}`);
}

/** Functions that take either one list, or the members of the list as arguments. */
const listed: ReadonlySet<string> = new Set(['min', 'max']);

function overdue([id, ...rest]: readonly ASTNode[], { scope, deadlines }: Reads): string {
  // `before` and facts tell of a past event, but deadlines are known only as they are now. An expression that
  // has both facts and `linked` belongs to a step, which runs now.
  if (scope.other === 'before' || (scope.facts && scope.other !== 'linked'))
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

/** Reads a call of matches(). The pattern must be a literal, so that its size can be limited. */
function readMatch(nameAt: number, [text, pattern, ...rest]: Parts, reads: Reads): Parts {
  if (!text || pattern?.op !== 'value' || typeof pattern.args !== 'string' || rest.length > 0)
    throw new ExpressionError('matches() takes a text and a pattern in quotes');
  reads.patterns.push(patternOf(pattern.args));
  const size = reads.patterns.reduce((sum, pattern) => sum + pattern.instructions, 0);
  if (size > MAX_INSTRUCTIONS) throw new ExpressionError('the patterns of matches() are too large');
  insert(nameAt, own, reads);
  return [text];
}

function readCounted(given: Parts, reads: Reads): Parts {
  const [list, ...others] = given;
  if (!list || !subjectIn(list, reads)?.isMultiple) return given;
  readSubject(list, reads);
  return others;
}

// has() tests whether a key exists, so the library needs the selection unchanged.
function readKey([selection]: Parts): Parts {
  if (selection?.op !== '.') throw new ExpressionError('has() takes a key, such as task.Name');
  const [of] = selection.args;
  return [isTask(of) ? selection : of];
}

function readMethod(node: Nodes['rcall'], reads: Reads): Parts {
  const [name, of, given] = node.args;
  const dot = tokenAfter(of.end, node);
  const nameAt = tokenAfter(dot + 1, node);
  if (macros.has(name)) return readMacro(node, dot, reads);
  if (name === 'matches') return readMatch(nameAt, [of, ...given], reads);
  if (name === 'size' && given.length === 0) return readCounted([of], reads);
  if (!methods.has(name)) throw unknownFunction(name);
  if (ownMethods.has(name)) insert(nameAt, own, reads);
  return [of, ...given];
}

function readMacro(
  { args: [name, of, [item, ...bodies]] }: Nodes['rcall'],
  dot: number,
  reads: Reads,
): Parts {
  if (item?.op !== 'id') throw new ExpressionError(`${name}() needs a variable as its first argument`);
  const list = subjectIn(of, reads);
  if (list && !list.isMultiple) refuseSubject(list);
  const each = list && { ...list, isMultiple: false, shown: item.args };
  if (reads.loops === MAX_LOOPS) throw new ExpressionError('more than two loops are nested');
  const variables = new Map([...reads.variables, [item.args, each]]);
  for (const body of bodies) read(body, { ...reads, variables, loops: reads.loops + 1 });
  insert(dot, '.__looped()', reads);
  readSubject(of, reads);
  checkVariable(item.args);
  return [];
}

const MAX_LOOPS = 2;

function readInfix({ op, args }: Extract<ASTNode, { args: [ASTNode, ASTNode] }>, reads: Reads): Parts {
  const [left, right] = args;
  if (op === 'in' && right.op === 'list') {
    insert(right.start + 1, decimalsOf(right.args), reads);
    return [left, ...right.args];
  }
  const beside = op === '==' || op === '!=' ? besideNull(left, right) : undefined;
  if (!beside || subjectIn(beside, reads)?.isMultiple !== false) return args;
  readSubject(beside, reads);
  return [];
}

/**
 * Decimal copies of the integers in a list. They are inserted into the list, because `in` finds a decimal
 * only among decimals.
 */
function decimalsOf(items: Parts): string {
  const decimals = items.flatMap((item) => {
    const digits = integerIn(item)?.args;
    return digits === undefined ? [] : `decimal("${item.op === '-_' ? '-' : ''}${String(digits)}"), `;
  });
  return decimals.join('');
}

function besideNull(left: ASTNode, right: ASTNode): ASTNode | undefined {
  if (isNull(left)) return right;
  return isNull(right) ? left : undefined;
}

// A test evaluates the examples of all functions and methods in docs/reference/expressions.md. The language
// omits double() and uint(), which are inexact or overflow. It also omits bytes, durations and timestamps:
// dates are texts.

/** Functions, called as `size(x)`. */
export const functions: ReadonlySet<string> = new Set([
  ...['today', 'now', 'overdue', 'days_between', 'add_days', 'round', 'abs', 'min', 'max', 'sum'],
  ...['matches', 'size', 'has', 'decimal', 'int', 'string', 'bool', 'dyn'],
]);

/** Methods, called as `x.size()`. */
export const methods: ReadonlySet<string> = new Set([
  ...['contains', 'startsWith', 'endsWith', 'indexOf', 'substring', 'trim'],
  ...['lowerAscii', 'upperAscii', 'split', 'join', 'size'],
]);

/** Methods of lists. The first argument is a variable. The others are evaluated for the list's members. */
export const macros: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);
