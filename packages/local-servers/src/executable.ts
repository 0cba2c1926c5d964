import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @returns the path of the program `name` in PATH, else in one of `places` (absolute folders) */
export function findExecutable(name: string, places: string[] = []): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...places].filter(Boolean);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
