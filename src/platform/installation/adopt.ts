/** `kherad adopt`: at its next start, the copy takes over the identity of its original. */
import { randomUUID } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { refuseStart } from '#platform/errors'
import { folderLocation, isSameFolder } from '#platform/folders'
import { adoptLocation, clusterOf, isServedElsewhere } from '#platform/postgres'
import { phrases } from './phrases.ts'
import { readRecord, writeRecord } from './record.ts'
import { refuseNewer } from './release.ts'

/** Marks the copy for adoption. Throws `StartRefused` while the original still exists. Returns the adopted id. */
export async function adoptFolder(folder: string): Promise<string> {
  const dataDir = await realpath(path.resolve(folder))
  const record = await readRecord(dataDir)
  refuseNewer(dataDir, record)
  const place = await folderLocation(dataDir)
  const original = { id: record?.copy?.id ?? record?.id, place: record?.copy?.place ?? record?.place.path }
  if (original.id !== undefined && original.place !== undefined) {
    const isThere =
      !(await isSameFolder(original.place, place)) && (await readRecord(original.place))?.id === original.id
    if (isThere || (await isServedElsewhere(original.id, await clusterOf(dataDir))))
      refuseStart(phrases.originalHere(original.place))
  }
  await adoptLocation(dataDir)
  const adopted = record ?? { id: randomUUID(), place }
  await writeRecord(dataDir, { ...adopted, adopt: true })
  return original.id ?? adopted.id
}
