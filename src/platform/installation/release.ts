/** The release that wrote a data folder. It is read before PostgreSQL is started or a file is changed. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { MigrationEvents } from '#platform/db'
import { refuseStart } from '#platform/errors'
import type { Log } from '#platform/log'
import { release as version } from '#platform/release'
import type { FolderClaim } from './claim.ts'
import { phrases } from './phrases.ts'
import { type FolderRecord, type Release, readRecord, writeRecord } from './record.ts'

const migrations = new URL('../../../migrations', import.meta.url)

/** The release of this program. */
export function thisRelease(): Release {
  const names = readdirSync(migrations).filter((name) => /^\d{4}-.*\.sql$/.test(name))
  return { version, migration: names.sort().at(-1) ?? '' }
}

const numberOf = ({ migration }: Release): number => Number.parseInt(migration, 10) || 0

/** Throws `StartRefused` for a folder that a later release has written. */
export function refuseNewer(dataDir: string, record: FolderRecord | undefined): void {
  const release = thisRelease()
  if (record?.release && numberOf(record.release) > numberOf(release))
    refuseStart(phrases.newer(dataDir, nameOf(record.release), nameOf(release)))
}

/** Throws like `refuseNewer`, for a folder that is only read. */
export async function refuseNewerFolder(folder: string): Promise<void> {
  const dataDir = path.resolve(folder)
  refuseNewer(dataDir, await readRecord(dataDir))
}

/** Stamps the folder with this release before the first migration, because an older program must not use it afterwards; and logs each migration. */
export function migrationEvents({ dataDir, record }: FolderClaim, log: Pick<Log, 'info'>): MigrationEvents {
  return {
    async begins(last, pending) {
      const release = thisRelease()
      const from = record.release ? nameOf(record.release) : (last ?? 'an empty database')
      log.info(
        { from, to: nameOf(release), migrations: pending.length },
        'the database is brought to this release',
      )
      record.release = release
      await writeRecord(dataDir, record)
    },
    applied: (migration, ms) => log.info({ migration, ms }, 'a migration was applied'),
  }
}

const nameOf = ({ version, migration }: Release): string => `${version}, ${migration}`
