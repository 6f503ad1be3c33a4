/** Restores a database as one process that a test kills: its folder, its ref, its user, the file with the archive, and the id. */
import { createReadStream } from 'node:fs'
import { restoreDatabase } from '../../../src/cloud/databases/local/restore.ts'
import { localContext } from './local-databases.ts'

const [root, ref, user, file, id] = process.argv.slice(2) as [string, string, string, string, string]
const context = await localContext(root)
await restoreDatabase(
  context,
  { ref, user: user === '' ? undefined : Number(user) },
  {
    id,
    maxBytes: 1e9,
    isWanted: async () => true,
    tar: () => createReadStream(file) as AsyncIterable<Buffer>,
  },
)
