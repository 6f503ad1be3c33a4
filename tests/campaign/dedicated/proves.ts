import type { Proves } from '../../suite/proves.ts'

export const proves: Proves = {
  minutes: 4,
  rooms: [
    'src/platform/postgres',
    'src/platform/db',
    'src/engine/databases',
    'src/engine/database-backups',
    'src/engine/database-export',
    'src/engine/sql',
    'src/engine/tables',
    'src/engine/magic',
    'src/engine/app-files',
    'src/engine/app-users',
    'src/engine/buckets',
    'src/capabilities/cloud',
  ],
  files: ['tests/cloud/**', 'tests/harness/end-databases.ts', 'tests/harness/small-disk.ts'],
  guarantees: [
    'A database of one tenant is out of the reach of every other, holds its bounds of memory, disk and connections, and survives backup, restore, export and move.',
    'The official client of supabase does with a dedicated cloud what its documents promise.',
  ],
}
