/** `kherad adopt`: what is here takes the identity of what it was copied from, at its next start. */
import { randomUUID } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { refuseStart } from '#platform/errors'
import { leadsTo, placeOf } from '#platform/folders'
import { adoptLocation, clusterOf, isServedElsewhere } from '#platform/postgres'
import { phrases } from './phrases.ts'
import { readRecord, writeRecord } from './record.ts'
import { refuseNewer } from './release.ts'

/** Throws `StartRefused` while the original is still there. Answers the id that is adopted. */
export async function adoptFolder(folder: string): Promise<string> {
  const dataDir = await realpath(path.resolve(folder))
  const record = await readRecord(dataDir)
  refuseNewer(dataDir, record)
  const place = await placeOf(dataDir)
  const original = { id: record?.copy?.id ?? record?.id, place: record?.copy?.place ?? record?.place.path }
  if (original.id !== undefined && original.place !== undefined) {
    const isThere =
      !(await leadsTo(original.place, place)) && (await readRecord(original.place))?.id === original.id
    if (isThere || (await isServedElsewhere(original.id, await clusterOf(dataDir))))
      refuseStart(phrases.originalHere(original.place))
  }
  await adoptLocation(dataDir)
  const adopted = record ?? { id: randomUUID(), place }
  await writeRecord(dataDir, { ...adopted, adopt: true })
  return original.id ?? adopted.id
}
