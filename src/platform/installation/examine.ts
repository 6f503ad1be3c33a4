/** Tells how the next start would find a data folder, without changing anything. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { refuseStart } from '#platform/errors'
import { folderLocation } from '#platform/folders'
import { clusterOf } from '#platform/postgres'
import { originalChecks } from './claim.ts'
import { judgeRelocation } from './judge.ts'
import { phrases } from './phrases.ts'
import { readRecord } from './record.ts'
import { refuseNewer } from './release.ts'

export interface ExaminedFolder {
  kind: 'new' | 'here' | 'moved' | 'copy'
  id: string
  /** The former place of the folder, or the place of its original. */
  place: string
}

/** Examines the folder. Throws `StartRefused` if the start would. */
export async function examineFolder(folder: string): Promise<ExaminedFolder> {
  const dataDir = await realpath(path.resolve(folder)).catch(() => undefined)
  const record = dataDir === undefined ? undefined : await readRecord(dataDir)
  if (dataDir === undefined || !record) return { kind: 'new', id: '', place: '' }
  refuseNewer(dataDir, record)
  const { id, place, copy, adopt } = record
  if (adopt) return { kind: 'here', id: copy?.id ?? id, place: place.path }
  if (copy) return { kind: 'copy', id, place: copy.place }
  const verdict = await judgeRelocation(
    place,
    await folderLocation(dataDir),
    originalChecks(id, await clusterOf(dataDir)),
  )
  if (verdict === 'other machine') refuseStart(phrases.otherMachine(place.path))
  return { kind: verdict, id, place: place.path }
}
