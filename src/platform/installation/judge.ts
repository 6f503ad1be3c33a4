/** Whether a folder was moved or copied, by where it lay before. */
import { leadsTo, type Place } from '#platform/folders'

export type Verdict = 'here' | 'moved' | 'copy' | 'other machine'

export interface Witnesses {
  /** Whether the folder at that path says that it is the same installation. */
  holds(path: string): Promise<boolean>
  /** Whether a living server of the installation runs on another folder. */
  isAliveElsewhere(): Promise<boolean>
}

/**
 * A copy is recognised by its original: at the path where the folder lay before, or alive under any other. Where neither is, the folder was
 * moved, whatever else has changed: inode, disk, mount, container.
 */
export async function judge(before: Place, here: Place, witnesses: Witnesses): Promise<Verdict> {
  if (before.machine !== null && here.machine !== null && before.machine !== here.machine)
    return 'other machine'
  if (await witnesses.isAliveElsewhere()) return 'copy'
  if (before.path === here.path || (await leadsTo(before.path, here))) return 'here'
  return (await witnesses.holds(before.path)) ? 'copy' : 'moved'
}
