import { notTicked } from '../actions/requirements/checklist.js';
import { notAnItem } from '../checklists/checklists.service.js';
import { nearest } from '../lib/did-you-mean.js';
import { Refusal, RefusedExecution, type RefusalKind } from '../lib/errors.js';
import { InvalidFields } from '../lib/field-errors.js';
import { argumentsOf, english, type Message } from '../lib/message.js';
import { isJsonList, type Json, type JsonObject } from '../../packages/exact-json/json.js';
import { strange } from '../ops/query.js';
import { listedNames } from '../schema/filters.js';
import { type Workflow } from '../workspace/workspace.js';
import { notYou } from '../workspace/workspaces.js';
import { workflowsKnownTo } from '../workspace/known.js';
import { argumentMeant, type Declared, plainObject, textIn } from './arguments.js';
import { bytesOf } from './cut.js';
import { type Call, type Next, type ToolOutcome, type Structured } from './tool.js';

export interface RefusedCall {
  readonly tool: string;
  /** Undefined if the tool is not enabled. */
  readonly declared: Declared | undefined;
  readonly given: JsonObject;
  readonly call: Call;
}

/** The kind of refusal. */
type Word = 'validation' | 'not_found' | 'not_possible' | 'conflict' | 'forbidden' | 'too_many';

const words: Partial<Record<RefusalKind, Word>> = {
  forbidden: 'forbidden',
  'not-found': 'not_found',
  conflict: 'conflict',
  'managed-by-definition': 'conflict',
  'precondition-failed': 'conflict',
  'cursor-expired': 'conflict',
  'idempotency-key-in-use': 'conflict',
  'too-many-requests': 'too_many',
  unavailable: 'too_many',
};

/** Errors that a model can understand and correct; any other error is a fault. */
type AnyRefusal = Refusal | RefusedExecution | InvalidFields;

export const isRefusal = (error: unknown): error is AnyRefusal =>
  [Refusal, RefusedExecution, InvalidFields].some((kind) => error instanceof kind);

/** The refusal as a result from which a model can correct its call. */
export async function refusedOutcome(error: AnyRefusal, refused: RefusedCall): Promise<ToolOutcome> {
  const isPassing = error instanceof Refusal && words[error.kind] === 'too_many';
  // While the database cannot answer, the workflow cannot be read either.
  const workflow = isPassing ? undefined : await workflowOf(refused);
  const place = { ...refused, workflow };
  if (!(error instanceof Refusal)) {
    const isInvalid = error instanceof InvalidFields;
    const fields = isInvalid ? error.fields : [['', error.errors] as const];
    const errors = fields.map(([name, all]) => [argumentOf(name), all] as const);
    const messages = errors.flatMap(([, all]) => all);
    const meant = meantByName(errors, place);
    const word = isInvalid ? 'validation' : 'not_possible';
    const texts = errors.map(([name, all]) => [name, all.map(english)] as const);
    const why = isInvalid
      ? { errors: Object.fromEntries(withinRoom(texts)) }
      : { unmet: withinRoom(messages.map(english)) };
    return outcome(word, why, meant, nextOf(word, { ...place, messages }, meant));
  }
  const word = words[error.kind] ?? 'validation';
  const meant = word === 'not_found' ? await meantElsewhere(place) : none;
  const after = error.headers['Retry-After'];
  const wait = after !== undefined && { retry_after: Number(after) };
  return outcome(word, { errors: { base: [error.message] }, ...wait }, meant, nextOf(word, place, meant));
}

function outcome(refused: Word, why: Structured, meant: Meant, next: Next | undefined): ToolOutcome {
  const names = Array.from(meant.values(), ({ wrong, right }): [string, string] => [wrong, right]);
  const guess = meant.size > 0 && { did_you_mean: Object.fromEntries(names) };
  const structured = { refused, ...why, ...guess, ...(next && { next }) };
  return { said: said[refused], structured, isError: true };
}

const said: Record<Word, string> = {
  validation: 'Refused: the arguments are wrong. `errors` says where; `next` is a call that may succeed.',
  not_found: 'Refused: it does not exist. `next` is a call that may succeed, or shows what exists.',
  not_possible:
    'Refused: the action is not possible now. `unmet` says why, and `next` is the call to make next.',
  conflict:
    'Refused: it has changed, or another request conflicts with this one. Read it again, as `next` does.',
  forbidden: 'Refused: this key or this service does not allow it. Do not try again.',
  too_many: 'Refused for now: the service is busy or too slow. Call again later.',
};

/** As many of them as fit into an answer. */
function withinRoom<T>(all: readonly T[]): T[] {
  let room = 4000;
  return all.filter((each) => (room -= bytesOf(each) + 1) > 0);
}

interface Place extends RefusedCall {
  readonly workflow: Workflow | undefined;
  /** The messages of the refusal. */
  readonly messages?: readonly Message[];
}

/** The workflow that the call names, if its key knows it. */
async function workflowOf({ call, given }: RefusedCall): Promise<Workflow | undefined> {
  const slug = textIn(given.get('workflow') ?? null);
  const isKnown = (await knownTo(call)).some((workflow) => workflow.slug === slug);
  return slug === undefined || !isKnown ? undefined : (await call.scope(slug)).workflow;
}

async function knownTo({ principal, workspace }: Call): Promise<Workflow[]> {
  return workflowsKnownTo(await workspace(), principal);
}

/** The argument for a name that errors spell differently. */
const argumentOf = (name: string): string =>
  name === '_search' ? 'words' : name.replace(/^_(?=(?:fields|sort|limit|after|workflow)$)/, '');

interface Correction {
  readonly wrong: string;
  readonly right: string;
  /** The name whose value is wrong; undefined if the name itself is. */
  readonly at: string | undefined;
}

/** Corrections by the wrong name or value. */
type Meant = ReadonlyMap<string, Correction>;
const none: Meant = new Map();

/** Corrections that the first messages suggest, or that come from the names and options they list. */
function meantByName(
  errors: readonly (readonly [name: string, messages: readonly Message[]])[],
  place: Place,
): Meant {
  const all = errors.flatMap(([name, messages]) => messages.map((message) => [name, message] as const));
  // A call may have thousands of unknown names, and each is compared with every known name.
  const meant = all
    .slice(0, MAX_MEANT)
    .flatMap(([name, message]) => correctionOf(name, message, place) ?? []);
  return new Map(meant.map((correction) => [correction.wrong, correction]));
}

const MAX_MEANT = 10;

function correctionOf(
  name: string,
  message: Message,
  { declared, given, workflow }: Place,
): Correction | undefined {
  if (isAbout(message, [codes.unknownArgument]))
    return corrected(name, argumentMeant(name, argumentsOfTool(declared), workflow?.schema.uniqueId?.name), undefined); // prettier-ignore
  const suggested = argumentIn(message, codes.suggestion);
  const inList = argumentIn(message, codes.unknownInList);
  if (inList !== undefined) return corrected(inList, suggested ?? nearField(inList, workflow), name);
  if (isAbout(message, codes.unknownNames))
    return corrected(name, suggested ?? nearField(name, workflow), undefined);
  // The text of a checklist item is no field of the workflow.
  if (isAbout(message, [notAnItem])) return corrected(name, suggested, undefined);
  const options = argumentIn(message, codes.options);
  const value = valueUnder(given, name);
  if (options === undefined || value === undefined) return undefined;
  return corrected(value, nearest(value, options.split(', ')), name);
}

/** The codes of messages from which a correction follows. */
export const codes = {
  suggestion: '; did you mean {0}?',
  unknownInList: 'contains a name that is not a field of this workflow: {0}{1}',
  options: 'is not one of: {0}',
  unknownArgument: 'is not an argument of this tool{0}; it takes: {1}',
  unknownNames: [
    'is not a field of this workflow',
    'is not a field of the tasks linked there',
    'is not a key of {0}{1}',
    'is not asked for by {0}',
    'is not a filter of a field',
    strange,
  ],
};

/** Whether the message is, or contains, a sentence with one of these codes. */
const isAbout = (message: Message, codes: readonly string[]): boolean =>
  codes.some((code) => argumentsOf(message, code) !== undefined);

/** The first argument of the sentence with this code. */
function argumentIn(message: Message, code: string): string | undefined {
  const [first] = argumentsOf(message, code) ?? [];
  return typeof first === 'string' ? first : undefined;
}

function corrected(wrong: string, right: string | undefined, at: string | undefined): Correction | undefined {
  const meant = right === undefined ? undefined : withAffixes(wrong, right);
  return meant === undefined || meant === wrong ? undefined : { wrong, right: meant, at };
}

/** Keeps the operator of a filter and the direction of a sort, where only the name is wrong. */
function withAffixes(wrong: string, right: string): string {
  const [, before = '', after = ''] = affixes.exec(wrong) ?? [];
  return (right.startsWith(before) ? '' : before) + right + (right.endsWith(after) ? '' : after);
}

const affixes = /^(-?).*?((?:\[\w*\])?)$/s;

/** The field with the nearest name, without operator or direction. */
function nearField(name: string, workflow: Workflow | undefined): string | undefined {
  const field = name.replace(/^-|\[\w*\]$/g, '');
  return workflow && nearest(field, listedNames(workflow.schema));
}

/** The text under a name, at any depth of the call. */
function valueUnder(given: JsonObject, name: string): string | undefined {
  const objects = [given, ...objectsIn(given)];
  return objects.map((object) => textIn(object.get(name) ?? null)).find((text) => text !== undefined);
}

const objectsIn = (given: JsonObject): JsonObject[] =>
  [...given.values()].filter((value): value is JsonObject => value instanceof Map);

/** For something not found: the workflow or the action with the nearest id. */
async function meantElsewhere({ call, given, workflow }: Place): Promise<Meant> {
  const at = workflow ? 'action' : 'workflow';
  const known = workflow
    ? workflow.actions.map(({ id }) => id)
    : (await knownTo(call)).map(({ slug }) => slug);
  const wrong = textIn(given.get(at) ?? null);
  if (wrong === undefined || known.includes(wrong)) return none;
  const correction = corrected(wrong, nearest(wrong, known), at);
  return correction ? new Map([[wrong, correction]]) : none;
}

/** A call that may succeed, or one that tells what is needed. */
function nextOf(word: Word, place: Place, meant: Meant): Next | undefined {
  const { given, workflow, messages = [] } = place;
  if (word === 'forbidden') return undefined;
  if (messages.some((message) => isAbout(message, [notYou]))) {
    const others = [...given].filter(([name]) => name !== 'performed_by');
    return sameCall({ ...place, given: new Map(others) }, meant);
  }
  const same = meant.size > 0 || word === 'too_many' ? sameCall(place, meant) : undefined;
  if (same || word === 'too_many') return same;
  const task = textIn(given.get('unique_id') ?? null);
  if (!workflow) return { tool: 'describe_workflow', arguments: {} };
  const named = { workflow: workflow.slug };
  const ofTask = { ...named, unique_id: task };
  if (task !== undefined && messages.some((message) => isAbout(message, [notTicked, notAnItem])))
    return { tool: 'get_task', arguments: { ...ofTask, include: ['checklist'] } };
  if (word === 'validation' || task === undefined) return { tool: 'describe_workflow', arguments: named };
  if (word === 'conflict') return { tool: 'get_task', arguments: ofTask };
  const { performed_by } = plainObject(given);
  if (word === 'not_possible')
    return {
      tool: 'explain_actions',
      arguments: { ...ofTask, ...(performed_by != null && { performed_by }) },
    };
  const action = textIn(given.get('action') ?? null);
  const isKnown = action === undefined || workflow.actions.some(({ id }) => id === action);
  return isKnown
    ? { tool: 'find_tasks', arguments: { ...named, limit: 10 } }
    : { tool: 'explain_actions', arguments: ofTask };
}

const argumentsOfTool = (declared: Declared | undefined): string[] => Object.keys(declared?.arguments ?? {});

/** Repeats the call with corrections; undefined if it is too long to repeat, or would be refused for its arguments. */
function sameCall({ tool, declared, given }: Place, meant: Meant): Next | undefined {
  const known = new Set(argumentsOfTool(declared));
  // The names of values are not those of arguments.
  const ofValues = new Map([...meant].filter(([wrong]) => known.has(wrong) || !given.has(wrong)));
  const repeated = Array.from(given, ([name, value]): [string, Json] => [
    known.has(name) ? name : (meant.get(name)?.right ?? name),
    correctedValue(name, value, ofValues),
  ]);
  const names = repeated.map(([name]) => name);
  const isTaken = new Set(names).size === names.length && names.every((name) => known.has(name));
  if (!isTaken || !declared?.required.every((name) => names.includes(name))) return undefined;
  const plain = plainObject(new Map(repeated));
  return bytesOf(plain) > 2000 ? undefined : { tool, arguments: plain };
}

function withCorrections(given: JsonObject, meant: Meant): JsonObject {
  const entries = Array.from(given, ([name, value]): [string, Json] => {
    const called = meant.get(name)?.at === undefined ? (meant.get(name)?.right ?? name) : name;
    return [called, correctedValue(name, value, meant)];
  });
  return new Map(entries);
}

const correctedValue = (name: string, value: Json, meant: Meant): Json =>
  value instanceof Map ? withCorrections(value as JsonObject, meant) : mended(name, value, meant);

function mended(name: string, value: Json, meant: Meant): Json {
  if (isJsonList(value)) return value.map((each) => mended(name, each, meant));
  const correction = meant.get(textIn(value) ?? '');
  return correction && correction.at === name ? correction.right : value;
}
