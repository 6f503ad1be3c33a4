import type { Proves } from '../../suite/proves.ts'

export const proves: Proves = {
  minutes: 4,
  rooms: [
    'src/platform/postgres',
    'src/platform/db',
    'src/cloud/databases',
    'src/cloud/backups',
    'src/cloud/export',
    'src/cloud/sql',
    'src/cloud/tables',
    'src/core/magic',
    'src/cloud/app-files',
    'src/cloud/app-users',
    'src/cloud/buckets',
    'src/cloud/cloud-routes',
  ],
  files: ['tests/cloud/**', 'tests/harness/end-databases.ts', 'tests/harness/small-disk.ts'],
  guarantees: [
    'A database of one tenant is out of the reach of every other, holds its bounds of memory, disk and connections, and survives backup, restore, export and move.',
    'The official client of supabase does with a dedicated cloud what its documents promise.',
  ],
}
