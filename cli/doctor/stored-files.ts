/** Checks the store: it is written, read and deleted, and files that the database knows are read back. */
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { examineFolder, verifySampleFiles } from '#core/files'
import { examineFolder as examineInstallation } from '#platform/installation'
import { openOutbound } from '#platform/proxy'
import { openStorage, type Storage } from '#platform/storage'
import type { Session } from '../command.ts'
import { broken, type DoctorCheck, ok, runCheck, skipped } from './check.ts'
import { databasePhrases as words } from './database-phrases.ts'
import { fileConfig } from './file-config.ts'
import { checkTitles, doctorPhrases } from './phrases.ts'

const name = 'stored_files'

export const checkStoredFiles = (session: Session): Promise<DoctorCheck> =>
  runCheck(name, async () => {
    const config = fileConfig(session.env)
    if (!config) return skipped(name, doctorPhrases.standsOn(checkTitles.config))
    const db = await session.openedDb().catch(() => undefined)
    if (!db) return skipped(name, doctorPhrases.standsOn(checkTitles.database))
    const folder = path.resolve(config.dataDir, 'files')
    const outbound = openOutbound(config)
    await using storage = openStorage({ folder, ...config.storage, egress: (url) => outbound.egressTo(url) })
    if (config.storage.s3) {
      // A copy has the bucket of its original, in which it writes nothing.
      if ((await examineInstallation(config.dataDir)).kind !== 'copy') await tryBucket(storage)
    } else {
      const { state, storeId = '' } = await examineFolder({ db, storage, folder })
      const marker = path.join(folder, 'database.id')
      if (state === 'other') return broken(name, words.filesOfOther(folder))
      if (state === 'gone') return broken(name, words.filesGone(folder, marker, storeId))
    }
    const { tried, lost } = await verifySampleFiles(db, storage)
    if (lost > 0) return broken(name, words.filesLost(lost, tried))
    return ok(name, tried === 0 ? words.nothingStored() : words.filesRead(tried))
  })

async function tryBucket(storage: Storage): Promise<void> {
  const key = `doctor/${randomUUID()}`
  await storage.put(key, Buffer.from('kherad doctor'))
  try {
    const read = await storage.get(key)
    if (!read || (await buffer(read)).toString() !== 'kherad doctor')
      throw new Error('what was written cannot be read back')
  } finally {
    await storage.delete([key])
  }
}
