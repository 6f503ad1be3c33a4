/**
 * Functions as apps call them, over HTTP: the first call of a cloud that has no process, calls of a running one, and what thirty running ones
 * hold in memory.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { row, table } from '../table.ts'
import { at, type Cloud, type CloudServer } from './server.ts'

const code = 'export default { fetch() { return new Response("سلام") } }'
const cloudCount = 30
const warmCalls = 500

export async function measureCalls(server: CloudServer): Promise<void> {
  const clouds: Cloud[] = []
  for (let count = 0; count < cloudCount; count++) {
    const cloud = await server.create(`functions ${count}`)
    await server.call(`/v1/cloud/${cloud.id}/functions`, { name: 'hello', code, verify_jwt: false })
    clouds.push(cloud)
  }
  // The jails of their deployments are gone; what comes from here on are those of their calls.
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const others = new Set(descendants(server.child.pid!))
  const own = pssMegabytes(server.child.pid!)
  const cold: number[] = []
  for (const cloud of clouds) cold.push(await timed(server, cloud))
  // All of them within a second.
  const beganMs = performance.now()
  await Promise.all(clouds.map((cloud) => timed(server, cloud)))
  const answeredMs = performance.now() - beganMs
  const held = descendants(server.child.pid!).filter((pid) => !others.has(pid) && !isDatabase(pid))
  const memory = held.reduce((sum, pid) => sum + pssMegabytes(pid), 0)
  const grown = Math.max(0, pssMegabytes(server.child.pid!) - own)
  const warm: number[] = []
  for (let count = 0; count < warmCalls; count++) warm.push(await timed(server, clouds[0]!))

  table(['functions over HTTP', 'measured', 'target'])
  const said = (value: number, most: number, unit: string): string =>
    `${most} ${unit}: ${value <= most ? 'met' : 'missed'}`
  const coldP95 = at(cold, 0.95)
  row([
    'first call without a process, p50, p95',
    `${ms(at(cold, 0.5))}, ${ms(coldP95)} ms`,
    said(coldP95, 60, 'ms'),
  ])
  const warmP50 = at(warm, 0.5)
  row(['call of a running one, p50, p95', `${ms(warmP50)}, ${ms(at(warm, 0.95))} ms`, said(warmP50, 2, 'ms')])
  row([
    `${cloudCount} clouds that answered within ${(answeredMs / 1000).toFixed(2)} s: PSS of ${held.length} processes, and what the server grew by`,
    `${memory.toFixed(0)} + ${grown.toFixed(0)} MB`,
    said(memory + grown, 450, 'MB'),
  ])
}

const ms = (value: number): string => value.toFixed(1)

/** From the request to the last byte, in milliseconds, on a connection that is kept. */
async function timed({ appsPort }: CloudServer, { ref, publicKey }: Cloud): Promise<number> {
  const beganMs = performance.now()
  const url = `http://127.0.0.1:${appsPort}/_cloud/${ref}/functions/v1/hello`
  const reply = await fetch(url, { headers: { apikey: publicKey } })
  const text = await reply.text()
  if (text !== 'سلام') throw new Error(`${reply.status}: ${text}`)
  return performance.now() - beganMs
}

const isDatabase = (pid: number): boolean =>
  readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('postgres')

function descendants(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // It has ended since.
    }
  }
  const isBelow = (one: number): boolean => {
    const parent = parents.get(one)
    return parent !== undefined && (parent === pid || isBelow(parent))
  }
  return [...parents.keys()].filter(isBelow)
}

/** Its share of the memory that it has with others, and all that it has alone (Linux). */
function pssMegabytes(pid: number): number {
  const told = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))
  return Number(told?.[1] ?? 0) / 1024
}
