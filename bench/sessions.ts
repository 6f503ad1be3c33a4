/** `npm run bench:sessions`: what a request pays to learn who sends it, by a key and by a session, from the cache and from the database. */
import path from 'node:path'
import { createPerson, idleMs, openSession, peopleLookup, setMember } from '#account/people'
import { createAccount, createKey, createProject, openKeyRing, openSessions, scopes } from '#platform/auth'
import { systemClock as clock } from '#platform/clock'
import { migrate, openDb } from '#platform/db'
import { openLog } from '#platform/log'
import { startEmbedded } from '#platform/postgres'
import { dataOf, machine, root, temporaryFolder } from './stage.ts'

const times = { cached: 200_000, cold: 2_000 }

await using stack = new AsyncDisposableStack()
const folder = await temporaryFolder(stack)
const log = openLog('warn')
const embedded = stack.use(await startEmbedded({ dataDir: dataOf(folder), log }))
const db = stack.use(await openDb({ url: embedded.address, log }))
await migrate(db, path.join(root, 'migrations'))
const now = new Date()
const made = await db.tx(async (tx) => {
  const { account_id: accountId } = await createAccount(tx, { name: 'bench' }, now)
  const { project_id: projectId } = await createProject(tx, { accountId, name: 'bench' }, now)
  const { secret } = await createKey(tx, { accountId, projectId, name: 'bench', scopes }, now)
  const { personId } = await createPerson(tx, { displayName: 'Sara', locale: 'fa', email: null }, now)
  await setMember(tx, { accountId, personId, role: 'developer', projectIds: null }, now)
  const { token } = await openSession(tx, { personId, method: 'password' }, now)
  return { secret, token, projectId }
})
const keys = stack.use(openKeyRing({ db, clock, log }))
const lookup = peopleLookup({ db, clock })
const sessions = stack.use(openSessions({ db, clock, log, lookup, installationId: '0', idleMs }))
const connection = {}

const byKey = async () => keys.cachedCaller(made.secret, connection) ?? (await keys.caller(made.secret))
const bySession = async () => {
  const session = await sessions.find(made.token)
  return sessions.caller(session!, made.projectId, {
    needsPlan: true,
    needsKey: true,
    reads: false,
    whileClosing: false,
  })
}
const fromDatabase = async () => {
  const session = await lookup.session({ hash: Buffer.alloc(32) })
  return [session, await lookup.place(made.projectId, made.projectId)]
}

console.log(machine())
await measure('key, cached', times.cached, byKey)
await measure('session with its project, cached', times.cached, bySession, 50)
await measure('session with its project, from the database', times.cold, fromDatabase, 2_000)

/** Prints the microseconds of one look; where they are more than `targetUs` the bench exits with 1. */
async function measure(
  name: string,
  count: number,
  look: () => Promise<unknown>,
  targetUs?: number,
): Promise<void> {
  for (let index = 0; index < count / 10; index++) await look()
  const began = performance.now()
  for (let index = 0; index < count; index++) await look()
  const lookUs = ((performance.now() - began) * 1_000) / count
  const isMissed = targetUs !== undefined && lookUs > targetUs
  const target = targetUs === undefined ? '' : `, at most ${targetUs}: ${isMissed ? 'MISSED' : 'met'}`
  console.log(`${name}: ${lookUs.toFixed(2)} µs${target}`)
  if (isMissed) process.exitCode = 1
}
