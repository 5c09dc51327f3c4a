// Plans or applies a definition by HTTP in a pipeline: node definition.mjs plan|apply FILE [--prune]
// [--allow-data-loss] [--comment] [--no-base]. Needs Node.js 20 and git. WTS_URL and WTS_KEY name the service
// and a key of scope admin. Prints Markdown, which goes to the summary of a GitHub job, and with --comment to
// the pull or merge request. In a pipeline, the definition in force should equal the file as it was before
// this change. If it differs, plan shows the difference and apply refuses, unless the new file changes
// nothing. --no-base skips this comparison.
import { execFileSync } from 'node:child_process';
import { appendFile, readFile } from 'node:fs/promises';
import { dirname, basename } from 'node:path';
import { parseArgs } from 'node:util';

const { env } = process;
const flags = ['prune', 'allow-data-loss'];
const usage = 'node definition.mjs plan|apply FILE [--prune] [--allow-data-loss] [--comment] [--no-base]';
const MAX_COMMENT = 60_000;

let values = {};
let command = '';
let file = '';
main().catch((error) => {
  console.error(oneLine(reasonOf(error)));
  process.exitCode = 1;
});

async function main() {
  readArguments();
  const missing = ['WTS_URL', 'WTS_KEY'].filter((name) => !env[name]);
  if (missing.length > 0 && (await hasNoSecrets())) {
    const reason = `${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing`;
    console.log(`**${file}** is not planned: ${reason}, because a change from a fork or from Dependabot gets no secrets. To plan the change, push it to a branch of this repository.`); // prettier-ignore
    return;
  }
  const { isRefused, text } = await changeOrReason(missing);
  console.log(text);
  process.exitCode = isRefused ? 1 : 0;
  await told('The summary', () => summarize(text));
  if (values.comment) await told('The comment', () => comment(`${mark()}\n${text}`));
}

function readArguments() {
  try {
    const options = Object.fromEntries(
      [...flags, 'comment', 'no-base'].map((name) => [name, { type: 'boolean' }]),
    );
    const parsed = parseArgs({ allowPositionals: true, options });
    ({ values } = parsed);
    [command, file] = parsed.positionals;
    if (parsed.positionals.length > 2) throw new Error(`${parsed.positionals[2]} is one argument too many.`);
  } catch (error) {
    throw new Error(`${oneLine(error.message)} Usage: ${usage}`);
  }
  if (!['plan', 'apply'].includes(command) || !file) throw new Error(`Usage: ${usage}`);
}

/** Returns the result of the plan or apply as Markdown, or the reason why there is none. */
async function changeOrReason(missing) {
  try {
    if (missing.length > 0) throw new Error(`Set ${missing.join(' and ')}: the address of the service, and a key of scope admin.`); // prettier-ignore
    return await change();
  } catch (error) {
    const failed = command === 'plan' ? 'could not be planned' : 'could not be applied';
    return { isRefused: true, text: `**${file}** ${failed}\n\n${fenced('', [oneLine(reasonOf(error))])}` };
  }
}

async function change() {
  const text = await readFile(file).catch((error) => {
    throw new Error(`${file} cannot be read: ${error.message}`);
  });
  const base = values['no-base'] ? undefined : await baseOf();
  if (!base) return shownAnswer(await send(command, text));
  const before = await send('plan', base.text);
  if (!before.body.changes) throw new Error(`The definition in force cannot be compared with ${base.name}, which the service refuses: apply ${file} by hand, or with --no-base.`); // prettier-ignore
  const isDrifted = before.body.changes.length > 0;
  if (command === 'apply' && !isDrifted)
    return shownAnswer(await send('apply', text, { 'If-Match': before.tag }), before.body);
  const planned = await send('plan', text);
  const shown = shownAnswer(planned, before.body);
  // If the new file changes nothing, it takes nothing back.
  if (!isDrifted || planned.body.changes?.length === 0) return shown;
  const drift = driftText(base.name, before.body);
  return command === 'plan'
    ? { ...shown, text: `${shown.text}\n\n${drift}` }
    : { isRefused: true, text: `**${file}** is not applied\n\n${drift}` };
}

function driftText(name, plan) {
  return [
    `**Drift**: the definition in force (version ${plan.version}) differs from ${name}. These changes would make it equal:`,
    fenced('diff', changeLines(plan)),
    'Somebody has applied a change since then, or an earlier change of the file was never applied. Add the difference to the file in a separate change, run the missing apply, or apply with `--no-base`, which reverts it.',
  ].join('\n\n');
}

/** The file as it was before this change; undefined where there was none. */
async function baseOf() {
  const commit = await commitBefore();
  if (commit === undefined) return undefined;
  const at = dirname(file);
  const path = `${commit}:./${basename(file)}`;
  if (git(at, 'ls-tree', '--name-only', commit, '--', basename(file)).trim() === '') return undefined;
  return { name: `${file} of ${commit.slice(0, 12)}`, text: git(at, 'show', path) };
}

/** The commit before this change, brought here where it is missing; undefined where this is no pipeline, or the first commit. */
async function commitBefore() {
  if (env.GITLAB_CI) {
    const target = env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME;
    if (target) return fetched(target);
    return known(env.CI_COMMIT_BEFORE_SHA);
  }
  if (!env.GITHUB_ACTIONS) return undefined;
  const { before } = await githubEvent();
  return known(env.GITHUB_EVENT_NAME === 'push' ? before : undefined);
}

function known(sha) {
  if (sha && !/^0+$/.test(sha)) return hasCommit(sha) ? sha : fetched(sha);
  if (hasCommit('HEAD^')) return git('.', 'rev-parse', 'HEAD^').trim();
  if (git('.', 'rev-parse', '--is-shallow-repository').trim() !== 'true') return undefined;
  git('.', 'fetch', '-q', '--deepen=1');
  return git('.', 'rev-parse', 'HEAD^').trim();
}

function hasCommit(name) {
  try {
    git('.', 'rev-parse', '-q', '--verify', `${name}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

function fetched(name) {
  git('.', 'fetch', '-q', '--depth=1', 'origin', name);
  return git('.', 'rev-parse', 'FETCH_HEAD').trim();
}

function git(cwd, ...args) {
  try {
    const stdio = ['ignore', 'pipe', 'pipe'];
    return execFileSync('git', args, { cwd, stdio, encoding: 'utf8', maxBuffer: 16_000_000 });
  } catch (error) {
    const [said] = String(error.stderr ?? '').trim().split('\n').slice(-1); // prettier-ignore
    throw new Error(`The file as it was before cannot be found, as git ${args[0]} says: ${said || error.message}. Check out with fetch-depth: 2, or say --no-base.`); // prettier-ignore
  }
}

/** Sends a definition to the service. Returns a plan or faults; throws an error for every other answer. */
async function send(verb, body, headers = {}) {
  const query = new URLSearchParams(flags.filter((name) => values[name]).map((name) => [name, 'true']));
  if (author()) query.set('author', author());
  const answer = await ask(`${env.WTS_URL.replace(/\/*$/, '')}/api/v1/definition/${verb}?${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${env.WTS_KEY}`, 'Content-Type': 'application/yaml', ...headers },
    body,
  }).catch((error) => {
    const doubt = verb === 'apply' ? ' It may have been applied nevertheless: run it again.' : '';
    throw new Error(`${reasonOf(error)}${doubt}`);
  });
  const { status } = answer;
  if (status === 412)
    throw new Error('Somebody else has just applied a change, so this one was not applied: run it again.');
  const isTold = status === 200 ? answer.body.changes : status === 422 && (answer.body.faults ?? answer.body.plan); // prettier-ignore
  if (!isTold) throw new Error(`${env.WTS_URL} answers ${status}: ${saidBy(answer)}`);
  return { ...answer, body: answer.body.plan ?? answer.body };
}

function author() {
  const { WTS_AUTHOR, GITHUB_ACTOR, GITHUB_SHA, GITLAB_USER_LOGIN, CI_COMMIT_SHA } = env;
  const [who, commit = ''] = GITHUB_ACTOR ? [GITHUB_ACTOR, GITHUB_SHA] : [GITLAB_USER_LOGIN, CI_COMMIT_SHA];
  return (WTS_AUTHOR || (who && `${who} by ${commit.slice(0, 12)}`) || '').slice(0, 200);
}

function shownAnswer({ body }, before) {
  if (body.faults) return { isRefused: true, text: faultsText(body.faults) };
  return { isRefused: body.refusals.length > 0, text: planText(body, before) };
}

function faultsText(faults) {
  const lines = faults.map(({ path, line, message }) =>
    [`${file}${line ? `:${line}` : ''}`, ...(path ? [path] : []), message].join(': '),
  );
  return `**${file} is refused**\n\n${fenced('', lines)}`;
}

function planText(plan, before) {
  const { workspace, version, changes, refusals } = plan;
  const kept = keptText(plan, before);
  const many = `${changes.length} change${changes.length === 1 ? '' : 's'}`;
  const done = command === 'apply' ? 'applied' : 'would apply';
  const head =
    refusals.length > 0
      ? `**${file}** is refused by workspace ${workspace} (version ${version}), with ${many}`
      : changes.length === 0
        ? `**${file}**: no changes, workspace ${workspace} is up to date`
        : `**${file}** ${done} to workspace ${workspace} (version ${version}): ${many}`;
  return [
    head,
    ...(changes.length > 0 ? [fenced('diff', changeLines(plan))] : []),
    ...(kept ? [kept] : []),
    ...(refusals.length > 0 ? ['**Refused**, because it would lose data of tasks:', fenced('', refusals)] : []), // prettier-ignore
  ].join('\n\n');
}

// Names the elements that this change takes out of the file, and that stay in force. If there is no
// file as it was before, names the elements that the file leaves out, but only if the file changes nothing.
function keptText({ kept = [], changes }, before) {
  const nameOf = ({ what, name }) => `${what} ${name}`;
  const formerly = new Set(before?.kept?.map(nameOf));
  const names = (before || changes.length === 0 ? kept : []).map(nameOf).filter((name) => !formerly.has(name)); // prettier-ignore
  if (names.length === 0) return undefined;
  return `Kept, although the file does not name it (\`--prune\` removes it):\n\n${fenced('', names)}`;
}

function changeLines({ changes, effects }) {
  const signs = { add: '+', remove: '-', change: '!', rename: '!' };
  return changes.flatMap(({ kind, what, name, detail = '', alterations = [] }) => [
    `${signs[kind]} ${kind} ${what} ${name} ${kind === 'rename' ? `to ${detail}` : detail}`.trimEnd(),
    ...alterations.map(({ at, before, after, relaxes }) =>
      `#   ${at}: ${excerpts(before, after).join(' → ')}${relaxes ? ' (no longer required)' : ''}`), // prettier-ignore
    ...effects
      .filter((effect) => effect.what === what && effect.name === name)
      .map(({ kind, message }) => `${kind === 'notes' ? '#' : '-'}   ${message}`),
  ]);
}

/** Writes each value on one line. Long values begin a little before their first difference. */
function excerpts(before, after) {
  const texts = [before, after].map((value) => (value === undefined ? '(nothing)' : JSON.stringify(value)));
  let same = 0;
  while (same < texts[0].length && texts[0][same] === texts[1][same]) same += 1;
  const start = Math.max(...texts.map(({ length }) => length)) <= 200 ? 0 : Math.max(same - 30, 0);
  return texts.map((text) => {
    const part = text.slice(start, start + 200).toWellFormed();
    return `${start > 0 ? '…' : ''}${part}${text.length > start + 200 ? '…' : ''}`;
  });
}

/** Writes lines as a block of code. No text of a definition can end the block, or counts as Markdown. */
function fenced(language, lines) {
  const text = lines.join('\n');
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Keeps as many whole lines of a text as there is room for, and closes an open fence. */
function cut(text, limit) {
  if (text.length <= limit) return text;
  let length = 0;
  let fence;
  const lines = [];
  for (const line of text.split('\n')) {
    length += line.length + 1;
    if (length > limit - 500) break;
    const [run] = /^`{3,}/.exec(line) ?? [];
    if (run && (fence === undefined || line === fence)) fence = fence === undefined ? run : undefined;
    lines.push(line);
  }
  const where = 'The text is too long for this place and was cut here; the log of the job has all of it.';
  return [...lines, ...(fence ? [fence] : []), '', where].join('\n');
}

async function summarize(text) {
  if (env.GITHUB_STEP_SUMMARY) await appendFile(env.GITHUB_STEP_SUMMARY, `${cut(text, 900_000)}\n`);
}

/** If the text cannot be published, the error is printed, but the job does not fail. */
async function told(what, work) {
  try {
    await work();
  } catch (error) {
    console.error(`${what} cannot be written: ${oneLine(reasonOf(error))}`);
  }
}

/** One comment for each file: a later plan takes the place of the one before. */
function mark() {
  return `<!-- definition ${encodeURIComponent(file)} -->`;
}

async function comment(body) {
  const place = env.GITLAB_CI ? gitlab() : await github();
  if (!place) {
    if (command === 'plan') console.error('There is no pull or merge request to comment on.');
    return;
  }
  const { notes, noteOf, headers, verb } = place;
  const mine = await findMine(notes, headers);
  const at = mine ? noteOf(mine.id) : notes;
  const answer = await ask(at, {
    method: mine ? verb : 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ body: cut(body, MAX_COMMENT) }),
  });
  if (answer.status >= 300) throw new Error(`${at} answers ${answer.status}: ${saidBy(answer)}`);
}

async function findMine(notes, headers) {
  for (let page = 1; ; page += 1) {
    const answer = await ask(`${notes}?per_page=100&page=${page}`, { headers });
    if (answer.status !== 200) throw new Error(`${notes} answers ${answer.status}: ${saidBy(answer)}`);
    const mine = answer.body.find(({ body }) => body?.startsWith(mark()));
    if (mine || answer.body.length < 100) return mine;
  }
}

function gitlab() {
  const { CI_API_V4_URL, CI_PROJECT_ID, CI_MERGE_REQUEST_IID, GITLAB_TOKEN = '' } = env;
  if (!CI_MERGE_REQUEST_IID) return undefined;
  const notes = `${CI_API_V4_URL}/projects/${CI_PROJECT_ID}/merge_requests/${CI_MERGE_REQUEST_IID}/notes`;
  return { notes, noteOf: (id) => `${notes}/${id}`, verb: 'PUT', headers: { 'PRIVATE-TOKEN': GITLAB_TOKEN } };
}

async function github() {
  const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN } = env;
  const event = await githubEvent();
  if (!event.pull_request) return undefined;
  const issues = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/issues`;
  return {
    notes: `${issues}/${event.pull_request.number}/comments`,
    noteOf: (id) => `${issues}/comments/${id}`,
    verb: 'PATCH',
    headers: { Authorization: `Bearer ${GITHUB_TOKEN}`, Accept: 'application/vnd.github+json' },
  };
}

async function githubEvent() {
  return env.GITHUB_EVENT_PATH ? JSON.parse(await readFile(env.GITHUB_EVENT_PATH, 'utf8')) : {};
}

/** Whether this is the pull or merge request of somebody to whom no secrets are given. */
async function hasNoSecrets() {
  if (env.GITLAB_CI)
    return Boolean(env.CI_MERGE_REQUEST_IID) && env.CI_MERGE_REQUEST_SOURCE_PROJECT_ID !== env.CI_PROJECT_ID;
  const { pull_request: pull } = await githubEvent();
  if (!pull) return false;
  const home = pull.base?.repo?.full_name ?? env.GITHUB_REPOSITORY;
  return pull.head?.repo?.full_name !== home || env.GITHUB_ACTOR === 'dependabot[bot]';
}

async function ask(address, request) {
  const answer = await fetch(address, { signal: AbortSignal.timeout(120_000), ...request }).catch((error) => {
    throw new Error(`${address.replace(/\?.*/, '')} cannot be reached: ${reasonOf(error.cause ?? error)}.`);
  });
  const body = await answer.json().catch(() => ({}));
  return { status: answer.status, tag: answer.headers.get('etag'), body };
}

function saidBy({ body }) {
  return body.detail ?? body.message ?? JSON.stringify(body);
}

function reasonOf(error) {
  return error?.message || error?.code || String(error);
}

function oneLine(text) {
  return String(text).replace(/\s*\n\s*/g, ' ').trim(); // prettier-ignore
}
