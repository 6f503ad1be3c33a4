import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../../harness/until.ts'
import { type Gap, gapMs, shortestPromiseMs, startObserver } from '../../suite/stand-stills.ts'

const observing = async () => {
  const lines: string[] = []
  const observer = await startObserver({ print: (line) => lines.push(line) })
  return { observer, lines }
}

test('an observer that is stopped for two seconds sees a gap of two seconds', async () => {
  const { observer } = await observing()
  await using _observer = observer
  await observer.upToDate()
  const earlier = observer.gaps.length
  const stoppedMs = Date.now()
  process.kill(observer.pid, 'SIGSTOP')
  await pause(2_000)
  const continuedMs = Date.now()
  process.kill(observer.pid, 'SIGCONT')
  await observer.upToDate()
  const gap = observer.gaps.slice(earlier).find(({ toMs }) => toMs >= continuedMs)
  expect(gap, JSON.stringify(observer.gaps)).toBeDefined()
  // It was awake when it was stopped, but for a lateness that would have been a gap of its own.
  expect(gap!.fromMs).toBeGreaterThan(stoppedMs - gapMs)
  expect(gap!.toMs - gap!.fromMs).toBeGreaterThan(1_900)
  expect(gap!.toMs).toBeLessThanOrEqual(Date.now())
})

test('it says which priority it runs with', async () => {
  const { observer, lines } = await observing()
  await using _observer = observer
  const words = { 'real-time': 'real-time priority', nice: 'a niceness of -10', plain: 'plain priority' }
  expect(lines).toEqual([expect.stringContaining(words[observer.priority])])
  expect(lines[0]).toContain(`more than ${gapMs} ms`)
  if (process.platform !== 'linux') return
  // Fields 18 and 41 of proc_pid_stat(5): SCHED_FIFO is the policy 1, of priority 50 here.
  const stat = readFileSync(`/proc/${observer.pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [nice, policy, realTime] = [fields[16], fields[38], fields[37]]
  const expected = { 'real-time': ['0', '1', '50'], nice: ['-10', '0', '0'], plain: ['0', '0', '0'] }
  expect([nice, policy, realTime]).toEqual(expected[observer.priority])
})

/** Takes all of a core, and says at its end when it had no time for longer than half a gap. */
const busyLoop = `
  const pauses = []
  const untilMs = Date.now() + 3000
  for (let last = Date.now(), now; last < untilMs; last = now) {
    now = Date.now()
    if (now - last > ${gapMs / 2}) pauses.push({ fromMs: last, toMs: now })
  }
  console.log(JSON.stringify(pauses))`

test('load on every core is no gap: where one is seen, the load had no time either', async ({ skip }) => {
  const { observer } = await observing()
  await using _observer = observer
  if (observer.priority === 'plain') return skip('no higher priority is permitted here')
  const beganMs = Date.now()
  const loops = Array.from({ length: availableParallelism() }, async (): Promise<Gap[]> => {
    const child = spawn(process.execPath, ['-e', busyLoop], { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    await once(child, 'close')
    return JSON.parse(text)
  })
  const pauses = await Promise.all(loops)
  await observer.upToDate()
  const seen = observer.gaps.filter(({ fromMs }) => fromMs >= beganMs)
  const within = (gap: Gap, { fromMs, toMs }: Gap): number =>
    Math.max(0, Math.min(gap.toMs, toMs) - Math.max(gap.fromMs, fromMs))
  const isShared = (gap: Gap): boolean =>
    pauses.every((its) => its.reduce((sum, one) => sum + within(gap, one), 0) > (gap.toMs - gap.fromMs) / 2)
  expect(seen.filter((gap) => !isShared(gap))).toEqual([])
})

test.skipIf(process.platform !== 'linux')('it costs less than two percent of a core', async () => {
  const { observer } = await observing()
  await using _observer = observer
  const usedMs = (): number => {
    const threads = readdirSync(`/proc/${observer.pid}/task`)
    const each = threads.map((id) => readFileSync(`/proc/${observer.pid}/task/${id}/schedstat`, 'utf8'))
    return each.reduce((sum, line) => sum + Number(line.split(' ')[0]) / 1e6, 0)
  }
  // The first second compiles what it runs. Of several seconds the cheapest counts: others are cold caches of this machine.
  const percents: number[] = []
  for (let second = 0; second < 5; second++) {
    const [before, beganMs] = [usedMs(), performance.now()]
    await pause(1_000)
    percents.push(((usedMs() - before) / (performance.now() - beganMs)) * 100)
  }
  expect(Math.min(...percents.slice(1)), percents.map((one) => one.toFixed(2)).join(' ')).toBeLessThan(2)
})

test('it ends with its standard input, also where whoever started it was killed', async () => {
  const starter = `
    import { startObserver } from ${JSON.stringify(path.join(import.meta.dirname, '../../suite/stand-stills.ts'))}
    const observer = await startObserver({ print: () => undefined })
    console.log(observer.pid)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', starter], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [pid] = await once(child.stdout, 'data')
  const isThere = (): boolean => {
    try {
      return process.kill(Number(pid), 0)
    } catch {
      return false
    }
  }
  expect(isThere()).toBe(true)
  child.kill('SIGKILL')
  await until(() => !isThere())
})

test('one that has died says so in place of answering that there was no gap', async () => {
  const { observer } = await observing()
  await using _observer = observer
  process.kill(observer.pid, 'SIGKILL')
  await expect(observer.upToDate()).rejects.toThrow('no gap is known')
})

test('no test writes down a lease that is shorter than the shortest promise', () => {
  const root = path.resolve(import.meta.dirname, '../../..')
  const lease = /(?:KHERAD_LEASE_MS|leaseMs)['"]?\s*[:=]\s*['"]?([\d_]+)\b(?! *\*)/gi
  const found = globSync('tests/**/*.ts', { cwd: root }).flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8')
    return [...text.matchAll(lease)].map(([, figure]) => ({ file, ms: Number(figure!.replaceAll('_', '')) }))
  })
  expect(found.length).toBeGreaterThan(10)
  expect(found.filter(({ ms }) => ms < shortestPromiseMs)).toEqual([])
  const shortest = Math.min(...found.map(({ ms }) => ms))
  expect(shortest, 'where the shortest lease is longer now, so is shortestPromiseMs').toBe(shortestPromiseMs)
})
