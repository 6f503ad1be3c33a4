/** A process that keeps a database awake until it is killed: its folder, name and user are its arguments, and a statement that it runs. */
import pg from 'pg'
import { clientConfig } from '#platform/db'
import { makeDatabase } from '../../../src/cloud/databases/local/make.ts'
import { wake } from '../../../src/cloud/databases/local/wake.ts'
import { localContext } from '../dedicated/local-databases.ts'

const [root = '', ref = '', user = '', statement = ''] = process.argv.slice(2)
const context = await localContext(root)
const database = { ref, user: user === '' ? undefined : Number(user) }
process.stdout.write('begins\n')
await makeDatabase(context, database)
const awake = await wake(context, database)
// As every process of the service does.
void awake.serverGone.then(() => awake.leave())
if (statement !== '') {
  const client = new pg.Client(clientConfig(awake.address('postgres')))
  await client.connect()
  void client.query(statement)
}
process.stdout.write('awake\n')
await new Promise(() => setInterval(() => undefined, 1_000))
