import { type ASTNode } from '@marcbachmann/cel-js';
import { ExpressionError } from './expression-error.js';

export interface ExpressionScope {
  follow(name: string): { readonly isMultiple: boolean } | undefined;
  readonly other?: OtherTask | undefined;
  readonly facts?: readonly Fact[];
}

/** The facts of an event that an expression can read besides the task. */
export const factNames = ['actor', 'comment', 'item', 'execution', 'approval', 'body'] as const;
export type Fact = (typeof factNames)[number];

/** The keys of each fact. The keys of `body` depend on the sender of the hook. */
export const factKeys: ReadonlyMap<string, readonly string[]> = new Map<Fact, readonly string[]>([
  ['actor', ['kind', 'id', 'name', 'version']],
  ['comment', ['author', 'body', 'timestamp']],
  ['item', ['id', 'title', 'status', 'editable', 'Assigned To', 'Stage']],
  ['execution', ['id', 'action', 'performer', 'status', 'errors', 'outcomes', 'unavailable']],
  ['approval', ['action', 'id', 'decision', 'by', 'for', 'comment']],
]);

/**
 * The name of a second task that an expression can read. `linked` is the linked task that a step changes.
 * `before` is the task before a change.
 */
export type OtherTask = 'linked' | 'before';

export const noLinks: ExpressionScope = { follow: () => undefined };

export interface LinkedReads {
  /** The keys of linked tasks that the expression reads, by the name of the relationship. */
  readonly linked: Map<string, Set<string>>;
  readonly ofOther: Set<string>;
}

/** A linked task, a list of linked tasks, or the second task, within an expression. */
export interface ExpressionSubject {
  readonly fields: Set<string>;
  readonly isMultiple: boolean;
  /** The text by which messages name the subject. */
  readonly shown: string;
}

/**
 * For each variable of a macro, the linked task that the variable stands for. If the variable stands for any
 * other value, the map holds undefined.
 */
export type Variables = ReadonlyMap<string, ExpressionSubject | undefined>;

/**
 * The linked task, the linked tasks or the second task that a node of an expression stands for. Undefined if
 * the node is an ordinary value.
 */
export function subjectOf(
  node: ASTNode,
  scope: ExpressionScope,
  reads: LinkedReads,
  variables: Variables,
): ExpressionSubject | undefined {
  const inner = (of: ASTNode): ExpressionSubject | undefined => subjectOf(of, scope, reads, variables);
  if (node.op === 'id') {
    if (variables.has(node.args)) return variables.get(node.args);
    const isOther = scope.other !== undefined && node.args === scope.other;
    return isOther ? { fields: reads.ofOther, isMultiple: false, shown: node.args } : undefined;
  }
  if (node.op === '.' || node.op === '[]') {
    const name = keyOfScope(node);
    if (isTask(node.args[0])) return name === undefined ? undefined : relationship(name, scope, reads);
    const list = node.op === '[]' && name === undefined ? inner(node.args[0]) : undefined;
    return list?.isMultiple ? { ...list, isMultiple: false, shown: `${list.shown}[0]` } : undefined;
  }
  if (node.op !== 'rcall' || node.args[0] !== 'filter') return undefined;
  const list = inner(node.args[1]);
  return list?.isMultiple ? list : undefined;
}

function relationship(
  name: string,
  scope: ExpressionScope,
  { linked }: LinkedReads,
): ExpressionSubject | undefined {
  const known = scope.follow(name);
  if (!known) return undefined;
  const fields = linked.get(name) ?? new Set();
  linked.set(name, fields);
  return {
    fields,
    isMultiple: known.isMultiple,
    shown: `task[${JSON.stringify(name)}]`,
  };
}

/** The key of a selection; undefined if the key is not a literal text. */
export function keyOfScope({ args: [, key] }: Extract<ASTNode, { op: '.' | '[]' }>): string | undefined {
  if (typeof key === 'string') return key;
  return key.op === 'value' && typeof key.args === 'string' ? key.args : undefined;
}

export function isTask(node: ASTNode): boolean {
  return node.op === 'id' && node.args === 'task';
}

/** Throws, because linked tasks are not values. Only their fields are. */
export function refuseSubject({ isMultiple, shown }: ExpressionSubject): never {
  throw new ExpressionError(
    isMultiple
      ? `${shown} is a list of linked tasks: it takes size(), all, exists, exists_one, filter, map or [0]`
      : `${shown} is a linked task: read a field of it, such as ${shown}["Name"]`,
  );
}
