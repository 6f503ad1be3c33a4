import { Type } from 'typebox'
import { fileSection, integerIn } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    backups: BackupsConfig
  }
}

/** Backups of the databases of dedicated clouds. */
export interface BackupsConfig {
  nightly: boolean
  keepDays: number
  askedPerCloud: number
  bytesPerCloud: number
}

const gibibyte = 1024 ** 3

export const backups = fileSection({
  name: 'backups',
  schema: Type.Object(
    {
      nightly: Type.Boolean({
        default: true,
        description: 'Whether each database that was changed is backed up at night (Tehran).',
      }),
      keep_days: integerIn(1, 365, { default: 7, description: 'Days for which a backup is kept.' }),
      asked_per_cloud: integerIn(0, 100, {
        default: 5,
        description: 'Backups of one cloud that its developers have asked for.',
      }),
      bytes_per_cloud: integerIn(0, Number.MAX_SAFE_INTEGER, {
        default: 20 * gibibyte,
        description: 'Bytes of all backups of one cloud, as they are stored.',
      }),
    },
    { default: {} },
  ),
  read: (typed) => ({
    nightly: typed.nightly,
    keepDays: typed.keep_days,
    askedPerCloud: typed.asked_per_cloud,
    bytesPerCloud: typed.bytes_per_cloud,
  }),
})
