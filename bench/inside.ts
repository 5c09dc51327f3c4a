/** The questions of the run to a target. */
export type Question = 'cpu' | 'memory';

// Every target loads this file before its own program, answers the questions of the run, and exits at its end.
const answers: Record<Question, () => number> = {
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  memory: () => process.memoryUsage.rss(),
};

process.on('message', (question: Question) => {
  process.send?.({ answer: answers[question]() });
});
process.on('disconnect', () => process.exit());
