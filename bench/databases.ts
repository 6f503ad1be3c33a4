/**
 * `npm run bench:databases -- [databases]`: databases of dedicated clouds as the server makes and wakes them, without a platform around them: how
 * long a new one takes and a sleeping one until it answers, and what it takes of the disk asleep, and of memory awake and idle.
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import pg from 'pg'
import { layoutOf } from '../src/cloud/databases/local/layout.ts'
import { makeDatabase } from '../src/cloud/databases/local/make.ts'
import { processesOf } from '../src/cloud/databases/local/processes.ts'
import { serverPid, wake } from '../src/cloud/databases/local/wake.ts'
import { localContext } from '../tests/cloud/dedicated/local-databases.ts'
import { at } from './clouds/server.ts'
import { machine } from './stage.ts'
import { row, table } from './table.ts'

const count = Number(process.argv[2] ?? 10)
const wakes = 5
const mebibyte = 1024 * 1024
const isRoot = process.getuid?.() === 0

const root = await mkdtemp('/tmp/kherad-bench-')
const context = await localContext(root)
try {
  await measure()
} finally {
  await rm(root, { recursive: true, force: true })
}

async function measure(): Promise<void> {
  const databases = Array.from({ length: count }, (_, index) => ({
    ref: `bench${String(index).padStart(15, '0')}`,
    user: isRoot ? 820_000_000 + index : undefined,
  }))
  const made: number[] = []
  const woken: number[] = []
  const memory: number[] = []
  for (const database of databases) made.push(await timed(() => makeDatabase(context, database)))
  for (let turn = 0; turn < wakes; turn++)
    for (const database of databases) {
      const layout = layoutOf(root, database)
      let awake: Awaited<ReturnType<typeof wake>> | undefined
      woken.push(
        await timed(async () => {
          awake = await wake(context, database)
          await answer(awake.address('authenticator'))
        }),
      )
      const processes = processesOf((await serverPid(layout))!)
      memory.push(processes.reduce((sum, { ownBytes }) => sum + ownBytes, 0) / mebibyte)
      await awake!.leave()
    }
  report(databases[0]!.ref, { made, woken, memory })
}

function report(ref: string, { made, woken, memory }: Record<'made' | 'woken' | 'memory', number[]>): void {
  const disk =
    Number(execFileSync('du', ['-sk', `${root}/${ref}`], { encoding: 'utf8' }).split('\t')[0]) / 1024
  const verdict = (met: boolean): string => (met ? 'met' : 'missed')
  const half = (values: number[]): number => at(values, 0.5)
  console.log(machine())
  table([`${count} databases, each woken ${wakes} times`, 'measured', 'target'])
  row(['a new one, p50', `${half(made).toFixed(0)} ms`, `3,000 ms: ${verdict(half(made) <= 3_000)}`])
  row([
    'a sleeping one until its first answer, p50, p95',
    `${half(woken).toFixed(0)}, ${at(woken, 0.95).toFixed(0)} ms`,
    `300, 600 ms: ${verdict(half(woken) <= 300 && at(woken, 0.95) <= 600)}`,
  ])
  row(['disk of an empty one', `${disk.toFixed(0)} MB`, `45 MB: ${verdict(disk <= 45)}`])
  row([
    'memory of an idle one that is awake, without what its processes share, p50',
    `${half(memory).toFixed(0)} MB`,
    '0 asleep',
  ])
}

async function answer({
  socketFolder,
  ...address
}: {
  socketFolder: string
  port: number
  user: string
  database: string
}): Promise<void> {
  const client = new pg.Client({ ...address, host: socketFolder })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('select 1')
  await client.end()
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now()
  await work()
  return performance.now() - beganMs
}
