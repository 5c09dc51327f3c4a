// Rows of a list that are chosen, and values that are edited in their cells.
import * as Turbo from './turbo.js';
import { say } from './announce.js';

const boxes = () => [...document.querySelectorAll('.task-list [name=task]')];
const chosen = () => boxes().filter(({ checked }) => checked);
const rowOf = (element) => element.closest?.('.task-list tbody tr');

/** The box in the head says whether all of the page are chosen, or some. */
function showHead() {
  const head = document.querySelector('.select-all');
  if (!head) return;
  const count = chosen().length;
  head.checked = count > 0 && count === boxes().length;
  head.indeterminate = count > 0 && !head.checked;
}

function tell() {
  showHead();
  say(`${chosen().length} ${document.querySelector('.bulk-count').textContent}`);
}

function choose(isChosen) {
  for (const box of boxes()) box.checked = isChosen;
  tell();
}

document.addEventListener('change', ({ target }) => {
  if (target.matches('.select-all')) choose(target.checked);
  else if (target.matches('.task-list [name=task]')) tell();
});

/** What is chosen stays so while the page is shown anew, but for the answer, which says what is left. */
let isAnswered = false;

document.addEventListener('turbo:before-morph-attribute', (event) => {
  const isBox = event.target.matches('.task-list [type=checkbox]');
  if (isBox && event.detail.attributeName === 'checked' && !isAnswered) event.preventDefault();
});
document.addEventListener('turbo:submit-end', ({ target }) => {
  if (target.id !== 'bulk' || !('sent' in target.dataset)) return;
  isAnswered = true;
  for (const menu of target.querySelectorAll('details')) menu.open = false;
});
document.addEventListener('turbo:morph', showHead);
document.addEventListener('turbo:render', () => {
  isAnswered = false;
  showHead();
  // Without scripts the page itself asks.
  const question = document.querySelector('#bulk-sure:not(:modal)');
  question?.close();
  question?.showModal();
});

/** Gives the cells of a row that its reader may edit their pencils: the head says which these are, and the row which not. */
function equip({ target }) {
  const row = rowOf(target);
  if (!row || row.querySelector('.cell-edit')) return;
  const table = row.closest('table');
  const lead = row.querySelector('td:first-child a');
  const kept = (lead.dataset.kept ?? '').split(' ');
  for (const [at, cell] of [...row.cells].entries()) {
    const head = table.rows[0].cells[at].querySelector('[data-edit]');
    if (!head || kept.includes(String(at))) continue;
    const link = document.createElement('a');
    link.className = 'cell-edit';
    link.tabIndex = -1;
    link.href = `${lead.pathname}?edit=${head.dataset.edit}`;
    link.dataset.turboPrefetch = 'false';
    link.ariaLabel = `${table.closest('.task-list').dataset.edit}: ${head.firstChild.textContent}, ${lead.textContent}`;
    cell.append(link);
  }
}

for (const name of ['pointerover', 'focusin']) document.addEventListener(name, equip);

// A new version of the page has no pencils.
document.addEventListener('turbo:before-morph-element', (event) => {
  if (event.target.matches('.cell-edit') && !event.detail.newElement) event.preventDefault();
});

/** Brings the editor of the task's page into the cell. */
function edit(link) {
  leave();
  const { href, hash } = new URL(link.href);
  const frame = document.createElement('turbo-frame');
  frame.id = hash.slice(1);
  frame.className = 'cell-entry';
  frame.src = href.replace(hash, '');
  link.after(frame);
}

/** Ends what is being edited, and goes back to where it was begun. */
function leave() {
  const frame = document.querySelector('.cell-entry');
  const link = frame?.previousElementSibling;
  frame?.remove();
  link?.focus();
}

document.addEventListener('click', (event) => {
  const { target, ctrlKey, metaKey, shiftKey } = event;
  const found = target.closest('.cell-edit, .cell-entry [data-entry-target=cancel], [data-bulk=clear]');
  if (!found || ctrlKey || metaKey || shiftKey) return;
  event.preventDefault();
  if (found.matches('.cell-edit')) edit(found);
  else if (found.matches('.cell-entry *')) leave();
  else {
    chosen()[0]?.focus();
    choose(false);
  }
});

document.addEventListener('dblclick', ({ target }) => {
  if (!target.closest('a, input, .cell-entry'))
    target.closest('.task-list td')?.querySelector('.cell-edit')?.click();
});

/** The editor has come, with what is wrong with what was sent; or the value, where it was taken. */
document.addEventListener('turbo:frame-load', ({ target }) => {
  if (!target.matches('.cell-entry')) return;
  const form = target.querySelector('form');
  if (form) {
    // Its answer belongs into the cell, too.
    delete form.dataset.turboFrame;
    delete form.dataset.turboAction;
    const control = form.querySelector('input:not([type=hidden]), select, textarea');
    control?.focus();
    control?.select?.();
    return;
  }
  say(
    [...target.querySelectorAll('.field-name, .field-value')]
      .map(({ textContent }) => textContent.trim())
      .join(': '),
  );
  leave();
  Turbo.visit(location.href, { action: 'replace' });
});

/** The arrows lead along a row. */
document.addEventListener('keydown', (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const row = rowOf(event.target);
  if (!step || !row || event.altKey || event.ctrlKey || event.metaKey || event.target.closest('.cell-entry'))
    return;
  const places = [...row.querySelectorAll('[name=task], td > a')];
  const next = places[places.indexOf(event.target) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
});
