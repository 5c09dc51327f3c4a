import { type Property } from '../property.js';

/** The key `Task URL`: only read, and ignored in a payload. */
export function taskUrlProperty(template: string, workflow: string): Property {
  const [before = '', after = ''] = template
    .replaceAll('{workflow}', encodeURIComponent(workflow))
    .split('{task}');
  return {
    name: 'Task URL',
    read: () => undefined,
    serialize: (task) => before + task.publicId + after,
  };
}
