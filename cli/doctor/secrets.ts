/** Checks the key that seals the secrets of the database: the one that the next start would use is tried. */
import path from 'node:path'
import type { Config } from '#platform/config'
import { examineSeal, otherKey } from '#platform/secrets'
import type { Session } from '../command.ts'
import { broken, type DoctorCheck, ok, runCheck, skipped } from './check.ts'
import { databasePhrases as words } from './database-phrases.ts'
import { checkTitles, doctorPhrases } from './phrases.ts'

export const checkSealingKey = (session: Session, { dataDir, secret }: Config): Promise<DoctorCheck> =>
  runCheck('sealing_key', async () => {
    const db = await session.openedDb().catch(() => undefined)
    if (!db) return skipped('sealing_key', doctorPhrases.standsOn(checkTitles.database))
    const file = path.resolve(dataDir, 'secret.key')
    switch (await examineSeal({ db, secret, file })) {
      case 'unused':
        return ok('sealing_key', words.nothingSealed())
      case 'proven':
        return ok('sealing_key', words.sealingKey())
      case 'missing':
        return broken('sealing_key', words.sealingKeyMissing(file))
      case 'other':
        return broken('sealing_key', otherKey)
    }
  })
