/**
 * `npm run bench:clouds -- [seconds]`: Starter clouds are created one after the other, and functions of thirty called over HTTP, cold and warm;
 * then the parts by themselves, each in a process of its own: rows at 32 connections (bench/clouds/rows.ts), and functions in their jails
 * without a server before them (bench/clouds/functions.ts). The load shares the machine.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { measureCalls } from './clouds/calls.ts'
import { at, startClouds } from './clouds/server.ts'
import { machine, root, temporaryFolder } from './stage.ts'
import { row, table } from './table.ts'

const [seconds = '4'] = process.argv.slice(2)
const cloudCount = 50
const createTargetMs = 150

console.log(machine())
await throughHttp()
await part('rows.ts', seconds)
await part('functions.ts')

async function throughHttp(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startClouds(await temporaryFolder(stack)))
  const tookMs: number[] = []
  for (let count = 0; count < cloudCount; count++) {
    const beganMs = performance.now()
    const cloud = await server.call('/v1/cloud', { name: `cloud ${count}`, plan: 'starter' })
    tookMs.push(performance.now() - beganMs)
    if (cloud['status'] !== 'ready') throw new Error(`not ready at once: ${JSON.stringify(cloud)}`)
  }
  const p95 = at(tookMs, 0.95)
  table([`${cloudCount} Starter clouds created`, 'measured', 'target'])
  row([
    'ready in the answer, p50, p95',
    `${at(tookMs, 0.5).toFixed(1)}, ${p95.toFixed(1)} ms`,
    `${createTargetMs} ms: ${p95 <= createTargetMs ? 'met' : 'missed'}`,
  ])
  console.log()
  await measureCalls(server)
}

async function part(script: string, ...more: string[]): Promise<void> {
  console.log()
  const child = spawn(process.execPath, [path.join(root, 'bench/clouds', script), ...more], {
    stdio: 'inherit',
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${script} ended with ${code}`)
}
