import { type Case } from './cases.js';
import { openConnection, textOf } from './connection.js';
import { requireSuccess } from './drive.js';
import { type Target } from './target.js';

/** Asserts that all targets answer the requests of a case with the same bytes, except for the id of a new task. */
export async function requireSameAnswers(
  one: Case,
  targets: readonly Target[],
  nextNumber: () => number,
  forgetCreated: () => Promise<void>,
): Promise<void> {
  for (let sample = 0; sample < 5; sample++) {
    const number = nextNumber();
    const answers: string[] = [];
    for (const { port } of targets) {
      await forgetCreated();
      answers.push(await answerOf(port, one, number));
    }
    const wrong = answers.findIndex((answer) => answer !== answers[0]);
    if (wrong >= 0)
      throw new Error(
        `${one.name}: ${targets[wrong]?.name ?? ''} answers\n${answers[wrong] ?? ''}\nand not\n${answers[0] ?? ''}`,
      );
  }
}

async function answerOf(port: number, one: Case, number: number): Promise<string> {
  const connection = await openConnection(port);
  const request = one.request(number);
  try {
    const answer = await connection.send(request);
    requireSuccess(request, answer);
    const type = /\r\ncontent-type: *([^\r]*)/i.exec(answer.head)?.[1] ?? '';
    const text = `${answer.status} ${type} ${textOf(answer)}`;
    return one.name === 'create' ? text.replace(/("Task URL":"[^"]*\/)[\w-]{12}"/, '$1') : text;
  } finally {
    connection.close();
  }
}
