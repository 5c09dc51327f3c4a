/** How a path names a task: by its Unique ID, or by the id in its Task URL. Every task has a Task URL. */
export type TaskName = string | PublicName;

export interface PublicName {
  readonly publicId: string;
}

export const textOfName = (name: TaskName): string => (typeof name === 'string' ? name : name.publicId);

export function nameOf({ uniqueValue, publicId }: Named): TaskName {
  return uniqueValue ?? { publicId };
}

interface Named extends PublicName {
  readonly uniqueValue: string | null;
}
