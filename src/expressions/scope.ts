import { type ASTNode } from '@marcbachmann/cel-js';
import { ExpressionError } from './expression-error.js';

/** What an expression may read beside the fields of its task. */
export interface ExpressionScope {
  /** The relationship of this name, if the task has one. */
  follow(name: string): { readonly isMultiple: boolean } | undefined;
  /** What another task is called that it is about as well, if any. */
  readonly other?: OtherTask | undefined;
  /** What else it may read by these names. */
  readonly facts?: readonly Fact[];
}

/** What an event tells beside its task. */
export const factNames = ['actor', 'comment', 'item', 'execution', 'approval', 'body'] as const;
export type Fact = (typeof factNames)[number];

/** What these have in them; the body of a hook is what its sender makes it. */
export const factKeys: ReadonlyMap<string, readonly string[]> = new Map<Fact, readonly string[]>([
  ['actor', ['kind', 'id', 'name', 'version']],
  ['comment', ['author', 'body', 'timestamp']],
  ['item', ['id', 'title', 'status', 'editable', 'Assigned To', 'Stage']],
  ['execution', ['id', 'action', 'performer', 'status', 'errors', 'outcomes', 'unavailable']],
  ['approval', ['action', 'id', 'decision', 'by', 'for', 'comment']],
]);

/** A task linked to it, whose values are set; the task itself as it was before a change. */
export type OtherTask = 'linked' | 'before';

/** No other task than the one at hand. */
export const noLinks: ExpressionScope = { follow: () => undefined };

/** Which fields of linked tasks an expression reads. */
export interface LinkedReads {
  /** By the name of the relationship. */
  readonly linked: Map<string, Set<string>>;
  /** Of the other task that it is about. */
  readonly ofOther: Set<string>;
}

/** A linked task, or a list of them, within an expression. */
export interface ExpressionSubject {
  /** Which of its fields are read. */
  readonly fields: Set<string>;
  readonly isMultiple: boolean;
  /** As it is written, for messages. */
  readonly shown: string;
  /** Where it comes from. */
  readonly of: OtherTask | { readonly relationship: string };
}

/** What variables stand for: those of macros about linked tasks for a subject, others for a value. */
export type Variables = ReadonlyMap<string, ExpressionSubject | undefined>;

/** Finds out which linked tasks a part of an expression stands for; undefined where it is an ordinary value. */
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
    return isOther
      ? { fields: reads.ofOther, isMultiple: false, shown: node.args, of: node.args }
      : undefined;
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
    of: { relationship: name },
  };
}

/** The name that a selection names; undefined where it is not written out. */
export function keyOfScope({ args: [, key] }: Extract<ASTNode, { op: '.' | '[]' }>): string | undefined {
  if (typeof key === 'string') return key;
  return key.op === 'value' && typeof key.args === 'string' ? key.args : undefined;
}

export function isTask(node: ASTNode): boolean {
  return node.op === 'id' && node.args === 'task';
}

/** Of linked tasks only fields can be values. */
export function refuseSubject({ isMultiple, shown }: ExpressionSubject): never {
  throw new ExpressionError(
    isMultiple
      ? `${shown} is a list of linked tasks: it takes size(), all, exists, exists_one, filter, map or [0]`
      : `${shown} is a linked task: read a field of it, such as ${shown}["Name"]`,
  );
}
