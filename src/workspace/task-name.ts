/** How a task is named: by its Unique ID or, where it may have none, by the id in its Task URL, which each has. */
export type TaskName = string | PublicName;

export interface PublicName {
  readonly publicId: string;
}

/** The name as text. */
export const textOfName = (name: TaskName): string => (typeof name === 'string' ? name : name.publicId);

/** What names this task. */
export function nameOf({ uniqueValue, publicId }: Named): TaskName {
  return uniqueValue ?? { publicId };
}

interface Named extends PublicName {
  readonly uniqueValue: string | null;
}
