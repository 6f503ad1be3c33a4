import { Type } from 'typebox'
import { fileSection, integerIn, mebibyte } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    /** The most bytes of all stored files of one project, and of all files in transit in one process (`platform/spool`). */
    files: { projectQuotaBytes: number; spoolBytes: number }
    studio: StudioConfig
  }
}

/** The bounds of what Studio makes. */
export interface StudioConfig {
  keepDays: number
  /** The quota of one project. */
  quotaBytes: number
  /** The most that one video may cost, in credits. */
  maxCreditsPerCall: number
  /** The most videos of one project that are made at once, and that wait for their turn. */
  videosRunning: number
  videosQueued: number
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

/** How long and how much of what Studio makes is kept, and the bounds of a video. */
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
      max_credits_per_call: integerIn(1, 1_000_000_000, {
        default: 5_000,
        description: 'What one video may cost at most, in credits; a dearer one is refused.',
      }),
      videos_running: integerIn(1, 10_000, {
        default: 3,
        description: 'Videos of one project that are made at once, over all processes.',
      }),
      videos_queued: integerIn(0, 10_000, {
        default: 20,
        description: 'Videos of one project that wait beside those that are made.',
      }),
    },
    { default: {} },
  ),
  read: (typed) => ({
    keepDays: typed.keep_days,
    quotaBytes: typed.quota_mb * mebibyte,
    maxCreditsPerCall: typed.max_credits_per_call,
    videosRunning: typed.videos_running,
    videosQueued: typed.videos_queued,
  }),
})
