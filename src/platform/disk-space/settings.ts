import { Type } from 'typebox'
import { fileSection, integerIn, mebibyte } from '#platform/config'
import type { DiskName } from './phrases.ts'

declare module '#platform/config' {
  interface Settings {
    /** The bytes that have to be free on each disk that is written to. */
    disk: DiskConfig
  }
}

export type DiskConfig = Record<DiskName, number>

/** Enough for work that has begun when new orders are refused: settlements, and results that are paid for. */
const defaultMb = 64

const least = (description: string) => integerIn(0, 100_000_000, { default: defaultMb, description })

/** The minimum of free space on each disk. Below it nothing more is ordered that must be stored. */
export const disk = fileSection({
  name: 'disk',
  schema: Type.Object(
    {
      data_free_mb: least('What has to be free on the disk of the data folder.'),
      database_free_mb: least('What has to be free on the disk of the embedded PostgreSQL.'),
      wal_free_mb: least('What has to be free where the embedded PostgreSQL writes its WAL.'),
      spool_free_mb: least('What has to be free on the disk of files in transit.'),
      files_free_mb: least('What has to be free on the disk of stored files.'),
    },
    { default: {} },
  ),
  read: (typed) => ({
    data: typed.data_free_mb * mebibyte,
    database: typed.database_free_mb * mebibyte,
    wal: typed.wal_free_mb * mebibyte,
    spool: typed.spool_free_mb * mebibyte,
    files: typed.files_free_mb * mebibyte,
  }),
})
