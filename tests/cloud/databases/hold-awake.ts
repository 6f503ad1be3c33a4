/** A process that keeps a database awake until it is killed: its folder, name and user are its arguments, and a statement that it runs. */
import pg from 'pg'
import { clientConfig } from '#platform/db'
import { openLog } from '#platform/log'
import { findBinaries } from '#platform/postgres'
import { Claims } from '../../../src/engine/databases/local/claims.ts'
import { makeDatabase } from '../../../src/engine/databases/local/make.ts'
import { findPrograms } from '../../../src/engine/databases/local/program.ts'
import { wake } from '../../../src/engine/databases/local/wake.ts'
import { selfTest } from '../../../src/platform/jail/self-test.ts'

const [root = '', ref = '', user = '', statement = ''] = process.argv.slice(2)
const log = openLog('silent')
const jail = await selfTest(log)
if (jail.kind === 'refused') throw new Error(jail.why.en)
const { tools } = jail
const programs = await findPrograms((await findBinaries(undefined, undefined, log)).postgres)
const claims = new Claims(root, { tools, limitBytes: Number.POSITIVE_INFINITY })
const context = { root, tools, programs, log, claims }
const database = { ref, user: user === '' ? undefined : Number(user) }
process.stdout.write('begins\n')
await makeDatabase(context, database)
const awake = await wake(context, database)
// As every process of the service does.
void awake.lost.then(() => awake.leave())
if (statement !== '') {
  const client = new pg.Client(clientConfig(awake.address('postgres')))
  await client.connect()
  void client.query(statement)
}
process.stdout.write('awake\n')
await new Promise(() => setInterval(() => undefined, 1_000))
