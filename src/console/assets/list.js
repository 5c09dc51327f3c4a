// Shows and changes which rows of a list are chosen.
import { say } from './announce.js';

const boxes = () => [...document.querySelectorAll('.pick')];
const chosen = () => boxes().filter(({ checked }) => checked);

/** Updates the box that chooses all rows: checked for all rows, indeterminate for only some rows. */
function showHead() {
  const head = document.querySelector('.select-all');
  if (!head) return;
  const count = chosen().length;
  head.checked = count > 0 && count === boxes().length;
  head.indeterminate = count > 0 && !head.checked;
}

function tell() {
  showHead();
  say(`${chosen().length} ${document.querySelector('.picked').textContent}`);
}

function choose(isChosen) {
  for (const box of boxes()) box.checked = isChosen;
  tell();
}

document.addEventListener('change', ({ target }) => {
  // A chosen filter is applied at once.
  if (target.matches('.filter-field select')) target.form.requestSubmit();
  if (target.matches('.select-all')) choose(target.checked);
  else if (target.matches('.pick')) tell();
});

document.addEventListener('turbo:render', () => {
  showHead();
  // The page shows the question in a dialog that is not modal. Makes the dialog modal.
  const question = document.getElementById('bulk-sure');
  if (question?.matches(':not(:modal)')) {
    question.close();
    question.showModal();
  }
  // Moves the focus to a new question in a dialog that was already open.
  question?.querySelector('[autofocus]')?.focus();
});

document.addEventListener('click', (event) => {
  if (!event.target.closest('[data-bulk=clear]')) return;
  event.preventDefault();
  chosen()[0]?.focus();
  choose(false);
});
