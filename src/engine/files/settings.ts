import { Type } from 'typebox'
import { fileSection, integerIn, mebibyte } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    /** Bytes of all stored files of one project, and of all files in transit of one process (`platform/spool`). */
    files: { projectQuotaBytes: number; spoolBytes: number }
    /** Of what Studio makes: days, and bytes of one project. */
    studio: { keepDays: number; quotaBytes: number }
  }
}

/** The storage quota of a project, and the limit of files in transit. */
export const files = fileSection({
  name: 'files',
  schema: Type.Object(
    {
      project_quota_mb: integerIn(1, 100_000_000, {
        default: 1024,
        description: 'What all stored files of one project may weigh together.',
      }),
      spool_mb: integerIn(1, 100_000_000, {
        default: 4096,
        description: 'What files in transit through one process may take on its disk.',
      }),
    },
    { default: {} },
  ),
  read: ({ project_quota_mb, spool_mb }) => ({
    projectQuotaBytes: project_quota_mb * mebibyte,
    spoolBytes: spool_mb * mebibyte,
  }),
})

/** How long and how much of what Studio makes is kept. */
export const studio = fileSection({
  name: 'studio',
  schema: Type.Object(
    {
      keep_days: integerIn(0, 36_500, {
        default: 30,
        description:
          'Days for which creations are kept, where neither key nor project says otherwise; 0: one day, for repeats only, in no list.',
      }),
      quota_mb: integerIn(1, 100_000_000, {
        default: 5_120,
        description: 'What all creations of one project may weigh together, apart from its uploads.',
      }),
    },
    { default: {} },
  ),
  read: ({ keep_days, quota_mb }) => ({ keepDays: keep_days, quotaBytes: quota_mb * mebibyte }),
})
