/** Decides whether a folder was moved or copied, from where it lay before. */
import { type FolderLocation, isSameFolder } from '#platform/folders'

export type RelocationVerdict = 'here' | 'moved' | 'copy' | 'other machine'

export interface OriginalChecks {
  /** Whether the folder at that path has the record of the same installation. */
  holds(path: string): Promise<boolean>
  /** Whether a running server of the installation uses another folder. */
  isAliveElsewhere(): Promise<boolean>
}

/**
 * Recognises a copy by its original: it is still at the path where the folder lay before, or running under any other. Otherwise the folder was moved,
 * whatever else has changed: inode, disk, mount, container.
 */
export async function judgeRelocation(
  before: FolderLocation,
  here: FolderLocation,
  witnesses: OriginalChecks,
): Promise<RelocationVerdict> {
  if (before.machine !== null && here.machine !== null && before.machine !== here.machine)
    return 'other machine'
  if (await witnesses.isAliveElsewhere()) return 'copy'
  if (before.path === here.path || (await isSameFolder(before.path, here))) return 'here'
  return (await witnesses.holds(before.path)) ? 'copy' : 'moved'
}
