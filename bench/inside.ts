/** The questions of the run to a target. */
export type Question = 'cpu' | 'memory';

// This file is loaded into every target before the target's own program. The target answers the questions of
// the run, and exits when the run ends.
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
