import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { budgetOffences, defaultSeconds, isQuiet, suiteSeconds } from './budgets.ts'
import { machineMs, processorMs } from './processor-time.ts'

const file = (seconds: number) => ({ file: 'tests/some.test.ts', processorMs: seconds * 1_000 })

test('a file may take twice its budget, and not a tick more; on a slow machine as much more as it is slower', () => {
  const twice = 2 * defaultSeconds
  expect(budgetOffences('test', { factor: 1, files: [file(twice)] }, undefined)).toEqual([])
  expect(budgetOffences('test', { factor: 1, files: [file(twice + 0.01)] }, undefined)).toHaveLength(1)
  expect(budgetOffences('test', { factor: 1.5, files: [file(twice * 1.5)] }, undefined)).toEqual([])
  expect(budgetOffences('test', { factor: 0.5, files: [file(twice)] }, undefined)).toHaveLength(1)
})

test('a suite may take 110 % of its budget; a part of it and a folder of the campaign have none', () => {
  const most = suiteSeconds['test']! * 1.1
  expect(budgetOffences('test', { factor: 1, files: [] }, most)).toEqual([])
  expect(budgetOffences('test', { factor: 1, files: [] }, most + 1)).toHaveLength(1)
  expect(budgetOffences('test', { factor: 1, files: [] }, undefined)).toEqual([])
  expect(budgetOffences('campaign/kills', { factor: 1, files: [file(1_000)] }, 10_000)).toEqual([])
})

test('budgets are judged where next to nothing else ran, and what else ran is seen', async () => {
  expect([0, 0.25, 0.3, 2].map(isQuiet)).toEqual([true, true, false, false])
  const before = { machine: machineMs()!, own: processorMs() }
  // Its parent ends at once, so it is no descendant of this process any more.
  const shell = spawn('sh', [
    '-c',
    `${process.execPath} -e 'for (const end = Date.now() + 500; Date.now() < end; );' & echo $!`,
  ])
  const [pid] = await shell.stdout.setEncoding('utf8').take(1).toArray()
  while (existsSync(`/proc/${Number(pid)}`)) await new Promise((done) => setTimeout(done, 20))
  const others = machineMs()! - before.machine - (processorMs() - before.own)
  expect(others).toBeGreaterThan(200)
})
