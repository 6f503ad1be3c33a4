import { Type } from 'typebox'
import { fileSection, integerIn, mebibyte } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    /** Bytes of all stored files of one project, and of all files in transit of one process (`platform/spool`). */
    files: { projectQuotaBytes: number; spoolBytes: number }
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
