/** Each part of a site stands still under load, for one, five and twenty seconds, and then goes on: what the product promises still holds. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestPostgres } from '../../harness/postgres.ts'
import { beginLoad } from './load.ts'
import { countsOf, expectPromises } from './promises.ts'
import { leaseMs, openPostgres, openSite, type Site } from './site.ts'
import { freeze, type StandStill, standStill, stop, whyNoFreezer } from './stop.ts'

const seconds = [1, 5, 20]
/** Calls of every kind are under way by then. */
const warmMs = 3_000
/** After which whoever stood still has met what waited for it. */
const afterMs = 3_000

interface Target {
  name: string
  begin(site: Site): Promise<StandStill>
  /** Others may take its place when it stands still for longer than the lease. */
  isReplaced?: boolean
}

const serverPids = ({ servers }: Site): number[] => servers.map(({ child }) => child.pid!)

const server: Target = {
  name: 'a server process',
  begin: (site) => stop(async () => [site.servers[0]!.child.pid!]),
}
const postgres: Target = { name: 'PostgreSQL', begin: (site) => stop(() => site.postgresPids()) }
const upstream: Target = { name: 'the upstream', begin: (site) => stop(async () => [site.upstreamPid]) }
const everything: Target = {
  name: 'everything, at one instant',
  begin: async (site) => {
    const [postmaster] = await site.postgresPids()
    return freeze([...serverPids(site), site.upstreamPid, postmaster!])
  },
}

const topologies = [
  { name: 'one process', processes: ['alone'], targets: [server, postgres, upstream, everything] },
  {
    name: 'two processes on one database',
    processes: ['first', 'second'],
    targets: [{ ...server, name: 'one of them', isReplaced: true }, postgres, everything],
  },
]

const noFreezer = await whyNoFreezer()
if (noFreezer !== undefined) console.log(`skipped, everything at one instant: ${noFreezer}`)

let cluster: TestPostgres & AsyncDisposable
beforeAll(async () => {
  cluster = await openPostgres()
})
afterAll(() => cluster?.[Symbol.asyncDispose]())

describe.each(topologies)('$name', ({ processes, targets }) => {
  let site: Site
  beforeAll(async () => {
    site = await openSite(cluster, processes)
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  const cases = targets.flatMap((target) => seconds.map((duration) => ({ ...target, duration })))
  test.for(cases)(
    '$name stands still for $duration s',
    async ({ name, begin, duration, isReplaced }, { skip }) => {
      if (name === everything.name && noFreezer !== undefined) skip(noFreezer)
      const person = await site.person()
      // The last one never stands still alone.
      const client = site.client(site.servers.at(-1)!, person)
      const logged = site.servers.map(({ log }) => log().length)
      const load = await beginLoad(site, person)
      await pause(warmMs)
      await standStill(() => begin(site), duration * 1_000)
      await pause(afterMs)
      await load.end()
      console.log(`${name}, ${duration} s: ${countsOf(load.calls)}`)

      const isLost = isReplaced === true && duration * 1_000 > leaseMs
      await expectPromises({ site, person, calls: load.calls, client, isLost })
      // The stand-still met calls, and most calls met none; or nothing was tested.
      expect(load.calls.filter(({ saw }) => saw === 'answered').length).toBeGreaterThan(load.calls.length / 4)
      // Whoever stood still works on.
      for (const one of site.servers)
        expect((await site.client(one, person).chat({ max_tokens: 100 })).status).toBe(200)
      const logs = site.servers.map(({ log }, at) => log().slice(logged[at]))
      if (!isLost) for (const log of logs) expect(deathsIn(log)).toEqual([])
      // That of the 5 s may be seen as late as a sweep after them.
      if (isLost && duration === 20) expect(deathsIn(logs.at(-1)!), 'what its twin took over').not.toEqual([])
    },
  )
})

/** What a server process says of others that it takes for dead. Nobody is where all stood still, or the database did, or somebody for less than the lease. */
const deathsIn = (log: string): string[] =>
  log.split('\n').filter((line) => /ended by the sweeper|jobs of dead processes/.test(line))
